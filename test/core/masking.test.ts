import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMask, quoted, visible } from "../../provider/core/masking.ts";
import { secret } from "../../provider/core/value.ts";

function masked(text: string, ...secrets: string[]): string {
  const mask = createMask();
  for (const one of secrets) mask.guardText(one);
  return mask.hide(text);
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a secret", () => {
  const password = 'p"ä\\ss w/ord+1';
  it.each<[string, string]>([
    ["as it is", password],
    ["in JSON", JSON.stringify(password)],
    ["in JSON within JSON", JSON.stringify(JSON.stringify(password))],
    ["in an address", encodeURIComponent(password)],
    ["in an address, in small letters", encodeURIComponent(password).toLowerCase()],
    ["in a form", encodeURIComponent(password).replaceAll("%20", "+")],
    ["in base64", base64(password)],
    ["in base64 behind one letter", base64(`a${password}`)],
    ["in base64 between others", base64(`user:${password}:more`)],
    ["in base64 for addresses", Buffer.from(`xx${password}`).toString("base64url")],
  ])("is hidden %s", (_how, text) => {
    const shown = masked(`before ${text} after`, password);
    expect(shown).toContain("[secret]");
    expect(shown).toMatch(/^before .* after$/);
    expect(shown).not.toContain(text);
    if (!text.includes("=")) expect(shown.length).toBeLessThan("before [secret] after".length + 12);
  });

  it("is hidden in any text and any field, by the longest that fits", () => {
    expect(masked("abcdef abcd", "abcd", "abcdef")).toBe("[secret] [secret]");
    expect(masked("aaaaaaaa", "aaaa")).toBe("[secret][secret]");
  });

  it("that is JSON is hidden in its parts, too", () => {
    const text = JSON.stringify({ password: "hunter22", hosts: ["db.example", { port: 5432 }] });
    expect(masked(`hunter22 at db.example, ${text}`, text)).toBe("[secret] at [secret], [secret]");
    expect(masked("{hunter22", "{hunter22")).toBe("[secret]");
    expect(masked("deep", `${"[".repeat(100_000)}"deep"${"]".repeat(100_000)}`)).toBe("[secret]");
  });

  it("of fewer than four characters is not looked for", () => {
    expect(masked("it is abc", "abc")).toBe("it is abc");
    expect(masked("it is abcd", "abcd")).toBe("it is [secret]");
  });

  it("of several lines is hidden by each long one", () => {
    expect(masked("got LINE-ONE-LINE-ONE-LINE", "LINE-ONE-LINE-ONE-LINE\nshort\n")).toBe("got [secret]");
  });

  it("is found within marked values only, at any depth", () => {
    const mask = createMask();
    mask.guard({ a: "plain-text", b: [secret({ c: ["hidden-text"] })], d: undefined, e: null });
    expect(mask.hide("plain-text hidden-text")).toBe("plain-text [secret]");
  });

  it("never survives, wherever it stands", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 4 }), fc.string(), (before, hidden, after) => {
        fc.pre(!"[secret]".includes(hidden) && !(before + after).includes(hidden));
        const at = (text: string) => masked(text, hidden);
        expect(at(before + hidden + after)).toContain("[secret]");
        expect(at(JSON.stringify({ x: `${before}${hidden}` }))).toContain("[secret]");
      }),
    );
  });
});

describe("a private key", () => {
  const body = "-----BEGIN EC PRIVATE KEY-----\nMIIabc\n-----END EC PRIVATE KEY-----";
  it("is hidden, whoever knows it, also in JSON and cut off", () => {
    expect(masked(`x ${body} y`)).toBe("x [private key] y");
    expect(masked(JSON.stringify({ key: body }))).toBe('{"key":"[private key]"}');
    expect(masked(body.slice(0, 40))).toBe("[private key]");
  });

  it("is no certificate", () => {
    const certificate = "-----BEGIN CERTIFICATE-----\nMIIabc\n-----END CERTIFICATE-----";
    expect(masked(certificate)).toBe(certificate);
  });
});

describe("what steers a terminal", () => {
  it.each<[string, string]>([
    ["an escape", "\u001b[2J"],
    ["a C1 control", "\u009b31m"],
    ["a carriage return", "a\rb"],
    ["a bell", "\u0007"],
    ["a backspace", "\b"],
    ["a turn of direction", "\u202egpj.exe"],
    ["an isolate", "\u2066x\u2069"],
    ["a line separator", "a\u2028b"],
    ["a letter without a shape", "a\u200bb"],
    ["a tag", "\u{e0041}"],
  ])("is written out: %s", (_what, text) => {
    expect(visible(text)).toMatch(/^[\x20-\x7e]*$/);
    expect(visible(text)).toContain("\\u");
  });

  it("is not what people write", () => {
    for (const text of ["smörgås", "日本語", "👩‍💻", "a\tb", "c\nd"]) expect(visible(text)).toBe(text);
  });
});

it("no line of a text but the first begins where ours begin", () => {
  expect(quoted("one\r\ntwo\nthree\n")).toBe("one\n      | two\n      | three");
});
