/** Credential: a user name and a password that support staff may use (contract section 2.8). The service never answers either. */

import { isAnswerLost } from "../../core/service-port.ts";
import { optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { labelRule } from "./label.ts";

/** How often an update is sent whose answer is lost each time; sending it twice does what sending it once does. */
const attempts = 3;

export const Credential = resource({
  area: "managed",
  name: "Credential",
  description:
    "A user name and a password that support staff may log in with when a monitored service fails. The service never tells either again. Deleting it revokes it, which takes it off every Service that names it. Import by its id or its label; user name and password stay as they are until they are declared.",
  path: "/managed/credentials/{credentialNumber}",
  phrase: ["{label}"],
  nameFormat: "LABEL",
  inputs: {
    label: optional(
      text({
        description:
          "Name of the credential, unique on the account: 2 to 75 ASCII letters, digits, hyphens, underscores, periods and spaces. Named automatically when left out.",
        minLength: 2,
        maxLength: 75,
        unique: true,
        adoptKey: true,
        naming: { maxLength: 75, allowed: "A-Za-z0-9_ .-" },
        rules: [labelRule],
      }),
    ),
    username: optional(
      text({
        description:
          "User to log in as, at most 5000 characters. Taken out later, it is emptied; taken out together with the password, both stay as they are.",
        maxLength: 5000,
        writeOnly: true,
        default: "",
      }),
    ),
    password: optional(
      text({
        description:
          "Required for a new Credential, and with `username`. Left out of an imported one, or taken out later, it stays as it is. A change is one request, sent with the user name. The service never tells it, so one that somebody else changed is not noticed.",
        minLength: 1,
        secret: true,
        writeOnly: true,
        computed: true,
      }),
    ),
  },
  outputs: {
    lastDecrypted: optional(
      text({ description: "When support staff last read the password (UTC); absent when they never did." }),
    ),
  },
  demands: [
    {
      when: { username: "given" },
      ...{
        input: "password",
        is: "given",
        says: "is required with username: the service takes the two together",
      },
    },
  ],
  check({ declares, isNew, refuse }) {
    if (isNew && !declares("password") && !declares("username"))
      refuse("password", "is required for a new Credential");
  },
  aspects: [
    {
      name: "update",
      fields: ["username", "password"],
      async sync({ service, path, inputs, changed }) {
        const { username, password } = inputs;
        if (password === undefined) return undefined; // both were taken out: they stay, as one cannot be sent without the other
        // A user name that no declaration ever gave is not emptied.
        const isOurs = username !== undefined || changed.has("username");
        const body = { ...(isOurs && { username: username ?? "" }), password };
        for (let attempt = 1; ; attempt++) {
          try {
            await service.post(`${path}/update`, body);
            return undefined;
          } catch (error) {
            if (!isAnswerLost(error) || attempt === attempts) throw error;
          }
        }
      },
    },
  ],
  delete: ({ service, path }) => service.post(`${path}/revoke`),
});
