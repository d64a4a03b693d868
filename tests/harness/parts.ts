/** The embedded service on a part of the test's choice: another place for files. */
import { addClient } from "../../service/access/clients.ts";
import { Tokens } from "../../service/access/tokens.ts";
import { loadServedApplication, openServedAssets } from "../../service/sample/served_application.ts";
import { handlers } from "../../service/http/handlers.ts";
import { serve } from "../../service/server/server.ts";
import type { ByteStore } from "../../service/store/bytes.ts";
import { openSqliteStore } from "../../service/store/sqlite/sqlite_store.ts";
import { type Callable, callable, tokenOf } from "./service.ts";

/** Serves the sample application. */
export async function openParts({ bytes }: { bytes: ByteStore }): Promise<Callable & AsyncDisposable> {
  const resources = new AsyncDisposableStack();
  const app = await loadServedApplication(undefined);
  const store = openSqliteStore(":memory:");
  resources.defer(() => store.close());
  resources.defer(() => bytes.close());
  const tokenPath = "/token";
  const { url } = resources.use(
    await serve({
      app,
      store,
      bytes,
      assets: await openServedAssets(undefined),
      maxFileBytes: 1024,
      handlers,
      tokens: new Tokens(store, 60),
      apiRoot: "/api",
      tokenPath,
      hostname: "127.0.0.1",
      port: 0,
      log: console.error,
    }),
  );
  const token = await tokenOf({ url, tokenPath }, await addClient(store, app, "clerk@city"));
  return { ...callable(`${url}/api`, token), [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
