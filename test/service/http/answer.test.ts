import { describe, expect, it } from "vitest";
import { ApiError } from "../../../provider/core/service-port.ts";
import { readAnswer } from "../../../provider/service/http/answer.ts";
import { createBrand } from "../../../provider/service/http/brand.ts";
import { allowance, retryAfterSeconds } from "../../../provider/service/http/hints.ts";
import type { Answer, Request } from "../../../provider/service/http/transport.ts";
import { lists } from "../lists.ts";

const now = Date.UTC(2024, 3, 1, 10, 0, 0);
const context = {
  lists,
  brand: createBrand("acme"),
  token: "tok-123",
  address: "http://x/v4",
  now: () => now,
};

function read(request: Partial<Request>, answer: Partial<Answer>): unknown {
  const full = { status: 200, headers: {}, json: undefined, empty: false, ...answer };
  return readAnswer({ method: "GET", path: "/volumes/7", ...request }, full, context);
}

function refused(request: Partial<Request>, answer: Partial<Answer>): ApiError {
  try {
    read(request, answer);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

const errors = (...reasons: object[]) => ({ json: { errors: reasons } });

describe("a refusal", () => {
  it("reads as method, path, status and reasons with their fields", () => {
    const error = refused(
      { method: "PUT" },
      { status: 400, ...errors({ reason: "can only grow", field: "size" }, { reason: "Too bad" }) },
    );
    expect(error.message).toBe("PUT /volumes/7: 400 size: can only grow; Too bad");
    expect(error).toMatchObject({
      name: "ApiError",
      method: "PUT",
      path: "/volumes/7",
      status: 400,
      retryable: false,
    });
    expect(error.reasons).toEqual([{ reason: "can only grow", field: "size" }, { reason: "Too bad" }]);
  });

  it("names fields in the contract's words", () => {
    const error = refused({}, { status: 400, ...errors({ reason: "is required", field: "acme_id" }) });
    expect(error.reasons[0]?.field).toBe("compute_id");
  });

  it("without a reason says what kind of answer it was, not what was in it", () => {
    const error = refused({}, { status: 502, headers: { "content-type": "text/html; charset=x" } });
    expect(error.message).toBe("GET /volumes/7: 502 bad gateway (without a reason: text/html)");
    expect(error.enveloped).toBe(false);
  });

  it("takes anything for a body of a gateway", () => {
    for (const json of [null, 5, "x", [], { errors: 5 }, { errors: [null, 5, {}, { reason: 7 }] }]) {
      expect(refused({}, { status: 504, json }).reasons).toHaveLength(1);
    }
  });

  it("that no gateway gives is the service's own only in the service's own form", () => {
    for (const status of [400, 401, 403, 404, 405, 410, 501]) {
      for (const json of [
        undefined,
        null,
        {},
        [],
        { errors: [] },
        { error: "x" },
        { errors: [{ message: "Not found" }] },
      ]) {
        expect(() => read({}, { status, json })).toThrow(/does not look like the service/);
      }
    }
  });

  it("is told within bounds, however much it says", () => {
    const many = Array.from({ length: 10_000 }, () => ({ reason: "x".repeat(5000) }));
    expect(refused({}, { status: 400, ...errors(...many) }).message.length).toBeLessThan(110_000);
  });

  it("of the token says where the token comes from", () => {
    const error = refused({}, { status: 401, ...errors({ reason: "Invalid Token" }) });
    expect(error.message).toContain("PLUMBLINE_TOKEN or plumbline:token");
    expect(error.message).not.toContain("tok-123");
  });

  it("of a token without the scope names the scope", () => {
    const headers = { "x-oauth-scopes": "volumes:read_only", "x-accepted-oauth-scopes": "domains:read_only" };
    const error = refused({}, { status: 401, headers, ...errors({ reason: "Not authorized" }) });
    expect(error.message).toContain(
      'has the scopes "volumes:read_only", this call needs "domains:read_only"',
    );
  });

  it("never repeats the token or a secret of the body", () => {
    const body = { label: "mine", root_pass: "hunter22", ssh: { private_key: "KEYKEY" } };
    const reason = "hunter22 is weak, KEYKEY too, mine not, tok-123 neither";
    const error = refused({ method: "POST", body }, { status: 400, ...errors({ reason }) });
    expect(error.message).toContain("[secret] is weak, [secret] too, mine not, [secret] neither");
  });

  it("for maintenance is told plainly and is not retryable", () => {
    const error = refused({}, { status: 503, headers: { "x-maintenance-mode": "1" } });
    expect(error.message).toContain("in maintenance");
    expect(error.retryable).toBe(false);
  });

  it("because another job runs is retryable, in either word", () => {
    for (const reason of ["Acme busy.", "Compute busy."]) {
      expect(refused({}, { status: 400, ...errors({ reason }) }).retryable).toBe(true);
    }
    expect(refused({}, { status: 400, ...errors({ reason: "Acme busy." }, { reason: "x" }) }).retryable).toBe(
      false,
    );
  });

  it("by a redirect says that the base URL is another", () => {
    expect(refused({}, { status: 301 }).message).toContain("PLUMBLINE_BASE_URL");
  });

  it("does not show a query", () => {
    expect(
      refused({ path: "/a/b?name=private" }, { status: 404, ...errors({ reason: "No" }) }).message,
    ).not.toContain("private");
  });
});

describe("a success", () => {
  it("without a body is an empty object where the contract has none", () => {
    expect(read({ path: "/profile/grants" }, { status: 204, empty: true })).toEqual({});
  });

  it("that cannot be used is no answer", () => {
    expect(() => read({ method: "POST" }, { empty: true })).toThrow("not JSON");
    expect(() => read({ method: "DELETE" }, {})).toThrow("not JSON");
    expect(() => read({ method: "DELETE" }, { empty: true })).toThrow("an empty body");
    expect(() => read({ method: "DELETE" }, { status: 204, empty: true })).toThrow("an empty body");
    expect(() => read({}, { json: "text" })).toThrow("not JSON");
  });
});

describe("headers about when to ask again", () => {
  it("give seconds, or a date by the service's own clock", () => {
    expect(retryAfterSeconds({ headers: { "retry-after": "7" } }, now)).toBe(7);
    const date = "Mon, 01 Apr 2024 12:00:00 GMT";
    const later = "Mon, 01 Apr 2024 12:00:30 GMT";
    expect(retryAfterSeconds({ headers: { "retry-after": later, date } }, now)).toBe(30);
    expect(retryAfterSeconds({ headers: { "retry-after": date, date: later } }, now)).toBe(0);
  });

  it.each([undefined, "", "soon"])("are passed over when they read %j", (value) => {
    expect(
      retryAfterSeconds({ headers: value === undefined ? {} : { "retry-after": value } }, now),
    ).toBeUndefined();
  });

  it("tell what the window still allows, unless its end cannot be true", () => {
    const headers = (reset: number) => ({ "x-ratelimit-remaining": "3", "x-ratelimit-reset": String(reset) });
    expect(allowance({ headers: headers(now / 1000 + 60) }, now)).toEqual({ remaining: 3, resetSeconds: 60 });
    expect(allowance({ headers: headers(now / 1000 + 3600) }, now)).toBeUndefined();
    expect(allowance({ headers: headers(now / 1000 - 1) }, now)).toBeUndefined();
    expect(allowance({ headers: {} }, now)).toBeUndefined();
  });
});
