/** The seconds that the DNS area stores for the seconds that it is sent (contract sections 2.3 and 2.4); pure. */

const domainSteps = [
  0, 30, 120, 300, 3600, 7200, 14400, 28800, 57600, 86400, 172800, 345600, 604800, 1209600, 2419200,
] as const;
const recordSteps = domainSteps.slice(3);
const longest = 2419200;

/** What 0 stands for in a domain's seconds. */
export const defaultSeconds = { ttl_sec: 86400, refresh_sec: 14400, retry_sec: 14400, expire_sec: 1209600 };

/** A domain's seconds: the smallest valid value that is not less; the largest for all above; 0 stays 0. */
export function domainSeconds(seconds: number): number {
  return domainSteps.find((step) => step >= seconds) ?? longest;
}

/** A record's TTL: the nearest valid value, the greater of two as near; 0 stays 0 and means the domain's default. */
export function recordSeconds(seconds: number): number {
  if (seconds === 0) return 0;
  let nearest: number = longest;
  for (const step of [...recordSteps].reverse()) {
    if (Math.abs(step - seconds) < Math.abs(nearest - seconds)) nearest = step;
  }
  return nearest;
}
