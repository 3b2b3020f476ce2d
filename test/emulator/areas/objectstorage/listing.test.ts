import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareNames, listObjects } from "../../../../emulator/areas/objectstorage/listing.ts";
import type { StoredObject } from "../../../../emulator/areas/objectstorage/stored.ts";

const stored = (names: readonly string[]): StoredObject[] =>
  names.map((name, id) => ({
    id,
    bucket_id: 1,
    name,
    size: id,
    etag: "0",
    last_modified: "2024-04-01T10:00:00.000Z",
    content_type: "text/plain",
    acl: "private",
    _content: "",
  }));

/** The names of all pages, from the first to the one without a next marker. */
function pages(names: readonly string[], prefix: string, delimiter: string, size: number): string[][] {
  const told: string[][] = [];
  let marker: string | null = "";
  while (marker !== null) {
    const page = listObjects(stored(names), "owner", { prefix, delimiter, marker, size });
    expect(page.is_truncated).toBe(page.next_marker !== null);
    told.push(page.data.map(({ name }) => name));
    marker = page.next_marker;
  }
  return told;
}

const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("an object list", () => {
  test("is in the order of the names' bytes", () => {
    const letter = fc.constantFrom("a", "B", "/", "ü", "\uffee", "😀", "~");
    const name = fc.string({ unit: letter, maxLength: 4 });
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(Math.sign(compareNames(a, b))).toBe(bytes(a, b));
      }),
    );
  });

  test("tells in pages what a plain reading of the rules tells at once", () => {
    const word = (max: number) =>
      fc.string({ unit: fc.constantFrom("a", "b", "/", "-"), minLength: 1, maxLength: max });
    fc.assert(
      fc.property(
        fc.uniqueArray(word(6), { maxLength: 40 }),
        fc.oneof(fc.constant(""), word(2)),
        fc.constantFrom("", "/", "-", "ab"),
        fc.integer({ min: 1, max: 7 }),
        (names, prefix, delimiter, size) => {
          const expected = new Set<string>();
          for (const name of names.filter((one) => one.startsWith(prefix))) {
            const rest = name.slice(prefix.length);
            const at = delimiter === "" ? -1 : rest.indexOf(delimiter);
            expected.add(at < 0 ? name : prefix + rest.slice(0, at) + delimiter);
          }
          const told = pages(names, prefix, delimiter, size);
          expect(told.flat()).toEqual([...expected].sort(bytes));
          for (const page of told.slice(0, -1)) expect(page).toHaveLength(size);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("tells a name beside the folder of that name", () => {
    expect(pages(["a", "a/", "a/b", "a/c", "ab"], "", "/", 25)).toEqual([["a", "a/", "ab"]]);
    expect(pages(["a", "a/", "a/b", "a/c/d"], "a/", "/", 25)).toEqual([["a/", "a/b", "a/c/"]]);
    const { data } = listObjects(stored(["a", "a/b"]), "me", {
      prefix: "",
      delimiter: "/",
      marker: "",
      size: 25,
    });
    expect(data).toEqual([
      { name: "a", size: 0, last_modified: "2024-04-01T10:00:00.000Z", etag: "0", owner: "me" },
      { name: "a/", size: null, last_modified: null, etag: null, owner: null },
    ]);
  });

  test("goes on after its marker though that name is gone", () => {
    const page = (names: string[], marker: string) =>
      listObjects(stored(names), "", { prefix: "", delimiter: "", marker, size: 2 });
    const first = page(["a", "b", "c", "d"], "");
    expect(first).toMatchObject({ next_marker: "b", is_truncated: true });
    expect(page(["c", "d"], "b").data.map(({ name }) => name)).toEqual(["c", "d"]);
  });

  test("of 20,000 objects is walked in pages within seconds", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `dir-${index % 100}/file-${index}`);
    const from = performance.now();
    expect(pages(names, "", "", 500)).toHaveLength(40);
    expect(performance.now() - from).toBeLessThan(20_000);
  });
});
