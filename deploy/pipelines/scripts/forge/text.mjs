/** What may stand in a comment: no secret of the job, and no more than the forge takes. Pure. */

/** Variables whose values nobody is to read, whatever wrote them into a text. */
const secrets = /(?:TOKEN|PASSPHRASE|PASSWORD|SECRET|SECRET_ACCESS_KEY)$/;

/** Replaces the secrets of the environment, as they stand and as JSON and addresses write them. Shorter ones would blank out ordinary words. */
export function maskedBy(environment) {
  const values = Object.entries(environment)
    .filter(([name, value]) => secrets.test(name) && value.length >= 4)
    .flatMap(([, value]) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    .sort((a, b) => b.length - a.length);
  return (text) => values.reduce((masked, value) => masked.replaceAll(value, "[secret]"), text);
}

/** The text with its head and foot, in at most so many characters. Whole lines are cut, at the end, and it says how many and where they are. */
export function fitting(head, body, foot, { most, whole }) {
  if (head.length + body.length + foot.length <= most) return head + body + foot;
  const lines = body.split("\n");
  const note = (left) =>
    `\n\n**${left} more lines are not shown: a comment holds ${most} characters.** All of them: [job](${whole}).`;
  const room = most - head.length - foot.length - note(lines.length).length;
  let [kept, length] = [0, 0];
  while (kept < lines.length && length + lines[kept].length + 1 <= room) length += lines[kept++].length + 1;
  return head + lines.slice(0, kept).join("\n") + note(lines.length - kept) + foot;
}
