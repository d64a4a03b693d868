/** `svc service add-client`: a further caller, with an operator of its own. */
import { getProfileName } from "../../lib/auth/settings.ts";
import { addClient as makeClient } from "../access/clients.ts";
import { loadServedApplication } from "../sample/served_application.ts";
import { filesOf, readState } from "../server/directory.ts";
import { openSqliteStore } from "../store/sqlite/sqlite_store.ts";
import { directoryOf, noService, type Which } from "./control.ts";
import { checkOwner, writeProfile } from "./profiles.ts";

/** Makes a client with an operator of its own and writes its profile, whether the service runs or not. */
export async function addClient(
  options: Which & { operator: string; profile?: string },
): Promise<{ operator: string; profile: string; url: string }> {
  const data = directoryOf(options.data);
  const profile = getProfileName(options);
  const state = await readState(data);
  if (!state || state.url === "") {
    throw noService(data, "Run 'svc service start' first.");
  }
  checkOwner(profile, data);
  const app = await loadServedApplication(state.app === "" ? undefined : state.app);
  const store = openSqliteStore(filesOf(data).database, true);
  try {
    await writeProfile(profile, data, state, await makeClient(store, app, options.operator));
  } finally {
    await store.close();
  }
  return { operator: options.operator, profile, url: state.url };
}
