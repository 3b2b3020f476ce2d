/** What storage refuses. It knows no requests. */

export class Denied extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "Denied";
    this.status = status;
    this.code = code;
  }
}

export const accessDenied = (message: string) => new Denied(403, "AccessDenied", message);

export const notImplemented = (what: string) =>
  new Denied(501, "NotImplemented", `${what} is not among what is served here`);
