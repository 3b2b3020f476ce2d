/** Built-in rules about object storage. */

import type { Finding, SeenStep } from "../rule.ts";
import { stepRule } from "./builtin.ts";

const open: { readonly [acl: string]: string } = {
  "public-read": "everybody can read what is in it",
  "authenticated-read": "every user of the platform's storage can read what is in it",
  "public-read-write": "everybody can read and change what is in it",
};

function isOpen({ inputs }: SeenStep): Finding[] {
  const reason = open[String(inputs?.["acl"])];
  return reason === undefined ? [] : [{ property: "acl", message: reason }];
}

export const publicBucket = stepRule(
  {
    name: "public-bucket",
    description: "A Bucket whose `acl` lets others than the account's own keys use it.",
    types: ["plumbline:objectstorage:Bucket"],
  },
  isOpen,
);

export const publicObject = stepRule(
  {
    name: "public-object",
    description: "An ObjectAcl that lets others than the account's own keys use the object.",
    types: ["plumbline:objectstorage:ObjectAcl"],
  },
  isOpen,
);
