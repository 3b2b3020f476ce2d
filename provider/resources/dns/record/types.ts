/** The types of DNS records and what each takes (contract section 2.4). Pure; judges nothing. */

export const recordTypes = ["A", "AAAA", "NS", "MX", "CNAME", "TXT", "SRV", "PTR", "CAA"] as const;
export type RecordType = (typeof recordTypes)[number];

/** Fields that only some types have. */
export const specialNames = ["priority", "weight", "port", "service", "protocol", "tag"] as const;

interface Taken {
  readonly takes: readonly string[];
  readonly needs: readonly string[];
}

const plain: Taken = { takes: [], needs: [] };

/** Special fields that a type takes, and those that it demands. */
export const specialFields: { readonly [T in RecordType]: Taken } = {
  A: plain,
  AAAA: plain,
  NS: plain,
  MX: { takes: ["priority"], needs: [] },
  CNAME: plain,
  TXT: plain,
  SRV: {
    takes: ["priority", "weight", "port", "service", "protocol"],
    needs: ["service", "port", "priority", "weight"],
  },
  PTR: plain,
  CAA: { takes: ["tag"], needs: ["tag"] },
};

export interface RecordValues {
  readonly type?: string;
  readonly name?: string;
  readonly target?: string;
  readonly priority?: number;
  readonly weight?: number;
  readonly port?: number;
  readonly service?: string;
  readonly protocol?: string;
  readonly tag?: string;
}

/** A record as far as it is known when it is checked. */
export interface RecordDraft {
  readonly values: RecordValues;
  readonly declares: (name: keyof RecordValues) => boolean;
  readonly knows: (name: keyof RecordValues) => boolean;
  /** The domain's name, where it is known. */
  readonly zone: string | undefined;
  readonly refuse: (property: string, reason: string) => void;
}

export function isRecordType(type: unknown): type is RecordType {
  return (recordTypes as readonly unknown[]).includes(type);
}

/** A Null MX: says that the domain takes no mail. */
export const isNullMx = ({ type, target }: RecordValues) => type === "MX" && target === "";
