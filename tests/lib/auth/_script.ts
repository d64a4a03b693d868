/** A process that does one thing with the authentication code, with the options in its second argument; it prints JSON alone. */
import { saveProfile } from "../../../lib/auth/profiles.ts";
import { diagnose } from "../../../lib/auth/diagnose.ts";
import { openSession } from "../../../lib/auth/session.ts";
import { readTarget } from "../../../lib/auth/settings.ts";
import { toSvcError } from "../../../lib/errors.ts";
import { callApi } from "../../harness/fake_service.ts";

const [action = "", options = "{}"] = Deno.args;
const actions: Record<string, () => unknown> = {
  async call() {
    return { status: await callApi(openSession(JSON.parse(options))) };
  },
  diagnose: () => diagnose(JSON.parse(options)),
  target: () => readTarget(JSON.parse(options)),
  async save() {
    const { name, profile } = JSON.parse(options);
    await saveProfile(name, profile);
    return { saved: name };
  },
};

try {
  console.log(JSON.stringify(await actions[action]?.()));
} catch (error) {
  console.log(JSON.stringify({ error: toSvcError(error) }));
  Deno.exitCode = 1;
}
