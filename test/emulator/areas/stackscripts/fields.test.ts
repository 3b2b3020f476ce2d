import { describe, expect, test } from "vitest";
import { userDefinedFields } from "../../../../emulator/areas/stackscripts/fields.ts";

describe("fields that a script declares (contract section 2.2; notes, section 2.1)", () => {
  test.each([
    [
      "a closed tag behind a comment sign",
      '# <UDF name="db_password" Label="Root password" />',
      [{ name: "db_password", label: "Root password" }],
    ],
    ["an open tag", '<UDF name="fqdn" label="Host name">', [{ name: "fqdn", label: "Host name" }]],
    ["a tag in lower case", '# <udf name="a" label="A">', [{ name: "a", label: "A" }]],
    [
      "every attribute, with name and label first and keys in lower case",
      '# <UDF oneOf="yes,no" default="yes" LABEL="Keys?" Name="keys" example="no">',
      [{ name: "keys", label: "Keys?", oneof: "yes,no", default: "yes", example: "no" }],
    ],
    [
      "several values",
      '# <UDF name="m" label="M" manyOf="a,b,c" default="">',
      [{ name: "m", label: "M", manyof: "a,b,c", default: "" }],
    ],
    [
      "other attributes",
      '# <UDF name="h" label="Part" header="Yes" default="Yes">',
      [{ name: "h", label: "Part", header: "Yes", default: "Yes" }],
    ],
    [
      "a line end within a value",
      '# <UDF name="l" label="one\ntwo\r\nthree">',
      [{ name: "l", label: "onetwothree" }],
    ],
    [
      "a tag over several lines of a comment",
      '# <UDF name="l"\n#      label="L"\n#   default="1" />',
      [{ name: "l", label: "L", default: "1" }],
    ],
    [
      "a value with brackets",
      '# <UDF name="b" label="a > b < c />">',
      [{ name: "b", label: "a > b < c />" }],
    ],
    [
      "the first of one name",
      '<UDF name="a" label="1">\n<UDF name="a" label="2">',
      [{ name: "a", label: "1" }],
    ],
    ["spaces around the sign", '<UDF name = "a" label= "A" >', [{ name: "a", label: "A" }]],
    ["no label", '<UDF name="a">', [{ name: "a", label: "" }]],
    ["no name", '<UDF label="A">', []],
    ["an empty name", '<UDF name="" label="A">', []],
    ["no quotes", "<UDF name=a label=b>", []],
    ["another tag", '<UDFS name="a" label="A">', []],
    ["nothing", "echo '<UDF'", []],
    [
      "two in one line, in order",
      'x <UDF name="b" label="B"> <UDF name="a" label="A"/> y',
      [
        { name: "b", label: "B" },
        { name: "a", label: "A" },
      ],
    ],
  ])("are read from %s", (_, script, fields) => {
    const found = userDefinedFields(`#!/bin/bash\n${script}\n`);
    expect(found).toEqual(fields);
    expect(found.map((field) => Object.keys(field).slice(0, 2))).toEqual(fields.map(() => ["name", "label"]));
  });

  test("are read from a long text at once", () => {
    const script = `#!/bin/sh\n${'# <UDF name="a" '.repeat(20_000)}`;
    const before = performance.now();
    expect(userDefinedFields(script)).toEqual([]);
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});
