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
    ["./s3:/not-a-scheme", "/base/s3:/not-a-scheme"],
    ["s3-states", "/base/s3-states"],
    [" states\n", "/base/states"],
    ["c:\\states", "/base/c:\\states"],
    ["file://states?metadata=skip&no_tmp_dir=false", "/base/states"],
  ])("%s is %s", (text, folder) => {
    expect(parseAddress(text, "/base")).toEqual({ kind: "folder", folder, keep: 20 });
  });
});

test.each([
  ["s3:/team-states/a", /begins with "s3:\/\/"/],
  ["postgres:/anna:hidden-word@db/x", /begins with "postgres:\/\/"/],
  ["Postgres//anna:hidden-word@db/x", /begins with "postgres:\/\/"/],
  ["postgresql:anna:hidden-word@db/x", /begins with "postgresql:\/\/"/],
  ["file:/var/states", /begins with "file:\/\/"/],
  [" \n", /is empty/],
])("%j is refused, and no folder of that name made", (text, why) => {
  const refused = () => parseAddress(text, "/base", {});
  expect(refused).toThrow(expect.objectContaining({ code: "usage", message: expect.stringMatching(why) }));
  expect(refused).not.toThrow(/hidden|word/);
});

test("line ends and spaces around an address, as files and secrets have them, are none of it", () => {
  expect(parseAddress("s3://team-states/a\n", "/base", {})).toMatchObject({ prefix: "a" });
  expect(parseAddress(" postgres://anna@db/states\r\n", "/base", {})).toMatchObject({
    given: { user: "anna", host: "db", database: "states" },
  });
});

describe("the address of a bucket", () => {
  const plain = {
    kind: "s3",
    bucket: "team-states",
    region: "us-east-1",
    encryption: {},
    lease: 60,
    keep: 20,
  };
  test.each([
    ["s3://team-states", { prefix: "", endpoint: "https://s3.us-east-1.amazonaws.com", isPathStyle: false }],
    [
      "s3://team-states/a/b/",
      { prefix: "a/b", endpoint: "https://s3.us-east-1.amazonaws.com", isPathStyle: false },
    ],
    [
      "s3://team-states/a?region=eu-west-1&profile=ops&lease=10&keep=3",
      {
        ...{ prefix: "a", region: "eu-west-1", profile: "ops", lease: 10, keep: 3, isPathStyle: false },
        endpoint: "https://s3.eu-west-1.amazonaws.com",
      },
    ],
    [
      "s3://team-states?endpoint=minio:9000&disableSSL=true",
      { prefix: "", endpoint: "http://minio:9000", isPathStyle: true },
    ],
    [
      "s3://team-states?endpoint=https://s3.example.com&s3ForcePathStyle=false",
      { prefix: "", endpoint: "https://s3.example.com", isPathStyle: false },
    ],
    [
      "s3://team-states?awssdk=v2&endpoint=minio:9000&disableSSL=1&s3ForcePathStyle=T",
      { prefix: "", endpoint: "http://minio:9000", isPathStyle: true },
    ],
    [
      "s3://team-states?endpoint=https://s3.example.com&ssetype=aes256",
      {
        ...{ prefix: "", endpoint: "https://s3.example.com", isPathStyle: true },
        encryption: { "x-amz-server-side-encryption": "AES256" },
      },
    ],
    [
      "s3://team-states?endpoint=https://s3.example.com&kmskeyid=alias/states",
      {
        ...{ prefix: "", endpoint: "https://s3.example.com", isPathStyle: true },
        encryption: {
          "x-amz-server-side-encryption": "aws:kms",
          "x-amz-server-side-encryption-aws-kms-key-id": "alias/states",
        },
      },
    ],
  ])("%s", (text, expected) => {
    expect(parseAddress(text, "/base", {})).toEqual({ ...plain, ...expected });
  });

  test("takes from the environment what it does not say", () => {
    const environment = {
      AWS_DEFAULT_REGION: "eu-north-1",
      AWS_ENDPOINT_URL_S3: "https://store.example.com",
    };
    expect(parseAddress("s3://team-states", "/base", environment)).toMatchObject({
      ...{ region: "eu-north-1", endpoint: "https://store.example.com", isPathStyle: true },
    });
  });
});

describe("the address of a database", () => {
  test.each([
    [
      "postgres://anna:hidden-word@db.example.com:6432/states?sslmode=require",
      "postgres://anna@db.example.com:6432/states",
    ],
    [
      "postgresql://db.example.com/states?user=anna&password=hidden-word",
      "postgres://anna@db.example.com/states",
    ],
    ["postgres://anna:hidden%2Dword@[::1]:6432/states", "postgres://anna@[::1]:6432/states"],
    ["postgres:///states?host=/run/postgresql", "postgres:///run/postgresql/states"],
    ["postgres://anna@/states?host=/run/postgresql", "postgres://anna@/run/postgresql/states"],
    ["postgres://db/states?user=anna@example", "postgres://anna@example@db/states"],
  ])("%s is told without its password", (text, place) => {
    const address = parseAddress(text, "/base");
    expect(address).toMatchObject({ kind: "postgres", place, schema: "plumbline", lease: 60, keep: 20 });
    if (/hidden(-|%2D)word/.test(text)) expect(address).toMatchObject({ password: "hidden-word" });
    else expect(address).not.toHaveProperty("password");
  });
});

test.each([
  ["s3://x", /names a bucket/],
  ["s3:///prefix", /names a bucket/],
  ["s3://team-states/../other", /prefix/],
  ["s3://team-states/a%20b", /prefix/],
  ["s3://team-states?regin=eu", /"regin" is no parameter of s3:\/\/.*did you mean "region"/],
  ["s3://team-states?endpoint=", /"endpoint" has no value/],
  ["s3://team-states?region=&keep=3", /"region" has no value/],
  ["postgres://anna@db/x?sslmode=", /"sslmode" has no value/],
  ["file://", /names no folder: this one is file:\/\/\./],
  ["file://?keep=3", /names no folder/],
  ["s3://team-states?lease=1", /"lease" must be a whole number from 4 to 3600/],
  ["s3://team-states?keep=none", /"keep" must be a whole number/],
  [
    "s3://team-states?endpoint=https://me:hidden-word@s3.example.com",
    /credentials come from the environment/,
  ],
  ["postgres://anna:hidden-word@db:port/x", /reads postgres:\/\//],
  ["postgres://anna:12?hidden-word=3@db/x", /%2F, %3F, %23, %40/],
  ["postgres://anna:a?hidden-word@db/x", /%2F, %3F, %23, %40/],
  ["postgres://anna:12/hidden-word@db/x", /%2F, %3F, %23, %40/],
  ["postgres://anna:a#hidden-word@db/x", /%2F, %3F, %23, %40/],
  ["postgres://anna:a@hidden-word/b@db/x", /%2F, %3F, %23, %40/],
  ["postgres://anna:hidden-word#", /%2F, %3F, %23, %40/],
  ["postgres://anna@db/x?password=a&hidden-word", /"&" and "%" are written .*%26 and %25/],
  ["postgres://anna@db/x?password=a&hidden-word=b&sslmode=require", /"&" and "%" are written/],
  ["postgres://anna:hidden-word%@db/x", /"%" itself is written %25/],
  ["postgres://anna:hidden-word%zz@db/x", /"%" itself is written %25/],
  ["postgres://one,two/x", /one host/],
  ["postgres://db/x?schema=a;drop", /the schema may have/],
  ["postgres://anna:hidden-word@db/x?sslmod=require", /"sslmod" is no parameter.*did you mean "sslmode"/],
  ["file://x?lease=4", /"lease" is no parameter of file/],
  ["s3://team-states?disableSSL=yes", /"disableSSL" must be true or false/],
  ["s3://team-states?ssetype=rot13", /"ssetype" must be one of AES256, aws:kms/],
  ["s3://team-states?ssetype=AES256&kmskeyid=x", /"kmskeyid" goes with/],
])("%s is refused: %s", (text, why) => {
  expect(() => parseAddress(text, "/base", {})).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringMatching(why) }),
  );
  expect(() => parseAddress(text, "/base", {})).not.toThrow(/hidden-word/);
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
