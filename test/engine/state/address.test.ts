/** How the address of a backend is read. */

import { homedir } from "node:os";
import { describe, expect, test } from "vitest";
import { parseAddress } from "../../../provider/engine/state/backends/address.ts";

describe("the address of a folder", () => {
  test.each([
    ["/var/states", "/var/states"],
    ["states", "/base/states"],
    ["../states", "/states"],
    ["file:///var/states", "/var/states"],
    ["file://states", "/base/states"],
    ["file://./states", "/base/states"],
    ["FILE:///var/states", "/var/states"],
    ["file://~", homedir()],
    ["file://~/states", `${homedir()}/states`],
    ["file://~other", "/base/~other"],
    ["s3:/not-a-scheme", "/base/s3:/not-a-scheme"],
    ["c:\\states", "/base/c:\\states"],
  ])("%s is %s", (text, folder) => {
    expect(parseAddress(text, "/base")).toEqual({ kind: "folder", folder, keep: 20 });
  });
});

test.each(["azblob://box", "gs://bucket", "https://anna:top-secret@api.example.com", "foo://"])(
  "%j is refused with what can be written, and without its secrets",
  (text) => {
    const scheme = text.slice(0, text.indexOf(":"));
    const refused = () => parseAddress(text, "/base");
    expect(refused).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringMatching(`"${scheme}://": .*file://`) }),
    );
    expect(refused).not.toThrow(/top-secret/);
  },
);
