import { LimitedCommand } from "../../tests/harness/svc.ts";
import { createResult, scaleNumber, type Scenario, type SoakOptions, type SoakResult } from "./scenario.ts";

const FORMS = 10_000;

const TEST = new URL("../../tests/lib/forms/properties_test.ts", import.meta.url);

/** Generated forms and edits, compared with a model of a server. */
export const forms: Scenario = {
  name: "forms",
  what: `${FORMS.toLocaleString("en")} generated forms, edited and submitted to a model of a server`,
  target: "0 forms that differ",
  seconds: 120,
  run: checkForms,
};

async function checkForms({ random, scale }: SoakOptions): Promise<SoakResult> {
  const count = scaleNumber(FORMS, scale);
  const command = new LimitedCommand(Deno.execPath(), {
    args: ["test", "--allow-all", "--no-check", TEST.href],
    env: { NO_COLOR: "1", SVC_TEST_FORMS: String(count), SVC_TEST_SEED: String(Math.floor(random.next() * 2 ** 31)) },
    limitSeconds: 3600,
  });
  const { success, stdout, stderr } = await command.output();
  const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  return createResult(
    `${count.toLocaleString("en")} forms, ${success ? "0 differ" : "1 differs"}`,
    success ? [] : [output],
  );
}
