/** What a type's check may ask of certificates and keys, whose cryptography the core does not know. Pure types. */

/** A certificate as far as rules need it. */
export interface CertificateFacts {
  /** The last moment at which it is good. */
  readonly validTo: Date;
  /** The names that it is for, as it writes them. */
  readonly names: readonly string[];
  /** True when it is for this host, wildcards considered. */
  readonly covers: (host: string) => boolean;
  /** True when the text is its private key. */
  readonly belongsTo: (privateKey: string) => boolean;
}

export interface CertificatePort {
  /** What a certificate in PEM form says (of several, the first); undefined when the text is none. */
  readonly read: (pem: string) => CertificateFacts | undefined;
  /** True for a private key in PEM form that needs no passphrase. */
  readonly isPrivateKey: (pem: string) => boolean;
}
