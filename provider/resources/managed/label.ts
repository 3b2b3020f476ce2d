/** The characters that labels of managed services and credentials may have (contract section 2.8). */

export const labelRule = {
  pattern: "^[A-Za-z0-9_ .-]*$",
  says: "must have only ASCII letters, digits, hyphens, underscores, periods and spaces",
};
