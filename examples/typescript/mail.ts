/** Mail for a zone, as one component: its exchangers, and the records that let others trust what they send. */

import * as plumbline from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";

export interface MailArgs {
  zone: plumbline.dns.Domain;
  zoneName: string;
  /** Host names, the preferred one first. */
  exchangers: string[];
  /** Range that mail may come from besides the exchangers. */
  senders: string;
  dkimKey: string;
  /** What receivers are asked to do with mail that fails the checks: `none`, `quarantine` or `reject`. */
  policy: string;
}

export class Mail extends pulumi.ComponentResource {
  constructor(name: string, args: MailArgs, options?: pulumi.ComponentResourceOptions) {
    super("example:mail:Mail", name, {}, options);
    const { zone, zoneName, exchangers, senders, dkimKey, policy } = args;
    const record = (part: string, rest: Omit<plumbline.dns.RecordArgs, "domainId">) =>
      new plumbline.dns.Record(`${name}-${part}`, { domainId: zone.id, ...rest }, { parent: this });

    exchangers.forEach((target, i) => {
      record(`mx${i + 1}`, { type: "MX", target, priority: (i + 1) * 10 });
    });
    record("spf", { type: "TXT", target: `v=spf1 mx ip4:${senders} -all` });
    record("dkim", { type: "TXT", name: "s1._domainkey", target: `v=DKIM1; k=rsa; p=${dkimKey}` });
    record("dmarc", {
      type: "TXT",
      name: "_dmarc",
      target: `v=DMARC1; p=${policy}; rua=mailto:dmarc@${zoneName}`,
    });
    this.registerOutputs();
  }
}
