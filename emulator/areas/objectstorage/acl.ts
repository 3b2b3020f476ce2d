/** Canned access lists: their names, their XML form, and what they let anyone do (contract section 2.6; notes, section 6). */

/** What a request may set. */
export const cannedAcls = ["private", "public-read", "authenticated-read", "public-read-write"] as const;

/** `custom` is only answered: for a list that was made by other means than this API. */
export type Acl = (typeof cannedAcls)[number] | "custom";

const groups = "http://acs.amazonaws.com/groups/global";

/** What each list gives beside the owner's full control. */
const granted: { readonly [acl in Acl]: readonly [group: string, permission: string][] } = {
  private: [],
  "public-read": [["AllUsers", "READ"]],
  "authenticated-read": [["AuthenticatedUsers", "READ"]],
  "public-read-write": [
    ["AllUsers", "READ"],
    ["AllUsers", "WRITE"],
  ],
  custom: [],
};

/** True when the list lets a request without a signature do this. */
export function anyoneMay(acl: Acl, permission: "READ" | "WRITE"): boolean {
  return granted[acl].some(([group, given]) => group === "AllUsers" && given === permission);
}

/** True when the list lets every key of the platform read. */
export function keysMayRead(acl: Acl): boolean {
  return granted[acl].some(([, given]) => given === "READ");
}

/** The list as storage writes it, for the owner of that name. */
export function aclXml(acl: Acl, owner: string): string {
  const person = `<ID>${owner}</ID><DisplayName>${owner}</DisplayName>`;
  const grant = (kind: string, grantee: string, permission: string) =>
    `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${kind}">${grantee}</Grantee>` +
    `<Permission>${permission}</Permission></Grant>`;
  const grants = [
    grant("CanonicalUser", person, "FULL_CONTROL"),
    ...granted[acl].map(([group, permission]) => grant("Group", `<URI>${groups}/${group}</URI>`, permission)),
  ];
  return (
    `<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Owner>${person}</Owner>` +
    `<AccessControlList>${grants.join("")}</AccessControlList></AccessControlPolicy>`
  );
}

export const corsMethods = ["GET", "PUT", "DELETE", "HEAD", "POST"];

/** The rules for other origins; empty when there are none. */
export function corsXml(enabled: boolean): string {
  if (!enabled) return "";
  const methods = corsMethods.map((method) => `<AllowedMethod>${method}</AllowedMethod>`).join("");
  return (
    `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><CORSRule>${methods}` +
    "<AllowedOrigin>*</AllowedOrigin><AllowedHeader>*</AllowedHeader></CORSRule></CORSConfiguration>"
  );
}
