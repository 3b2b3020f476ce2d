/** Texts of others in Markdown: of a resource's name, of a message, of an object on the account. */

import { describe, expect, it } from "vitest";
import { createMarkdownRenderer, inert } from "../../../provider/cli/render/markdown.ts";
import type { Step } from "../../../provider/engine/event.ts";

describe("a text that somebody else wrote", () => {
  it.each([
    ["www-1", "www-1"],
    ["my_zone_2 @ 3.14", "my_zone_2 @ 3.14"],
    ["</td></tr></table><details>", "&lt;/td&gt;&lt;/tr&gt;&lt;/table&gt;&lt;details&gt;"],
    ["<!-- | hidden", "&lt;!-- \\| hidden"],
    ["&lt;b&gt;", "&amp;lt;b&amp;gt;"],
    ["**bold** __bold__ ~~gone~~ $x$", "\\*\\*bold\\*\\* \\_\\_bold\\_\\_ \\~\\~gone\\~\\~ \\$x\\$"],
    ["see [this](https://evil.example) ![x](y)", "see [this\\](https://evil.example) ![x\\](y)"],
    ["C:\\*", "C:\\\\\\*"],
    ["@everybody and a@b.example", "@<!-- -->everybody and a@<!-- -->b.example"],
    ["`code`\nof two lines [PLB-LOCK]", "'code' of two lines [PLB-LOCK]"],
  ])("%s is told as %s", (text, shown) => {
    expect(inert(text)).toBe(shown);
  });

  it("stands in a plan so, and the rest of the plan beside it", () => {
    const lines: string[] = [];
    const renderer = createMarkdownRenderer((line) => lines.push(line), "dev");
    const name = "</td></tr></table><details>";
    const step: Step = {
      ...{ op: "delete", type: "plumbline:dns:Domain", name, detailedDiff: {}, replaceReasons: [] },
      urn: `urn:pulumi:dev::shop::plumbline:dns/domain:Domain::${name}`,
    };
    renderer.event({ event: "planned", step });
    renderer.event({ event: "diagnostic", severity: "warning", message: "call @ops <b>\n# now" });
    renderer.close();
    const text = lines.join("\n");
    expect(text.replaceAll("<!-- -->", "")).not.toMatch(/<(?!br>)/);
    expect(text).toContain("&lt;details&gt;");
    expect(text).toContain("call @<!-- -->ops &lt;b&gt;");
  });
});
