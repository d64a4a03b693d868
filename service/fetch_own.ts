/** What comes with svc, where svc itself came over the network. */
import { SvcError } from "../lib/errors.ts";

/** Fetches a file of svc; `NETWORK_ERROR` where the host of the package has none to give. */
export async function fetchOwn(file: URL): Promise<Response> {
  const response = await fetch(file);
  if (response.ok) return response;
  await response.body?.cancel();
  throw new SvcError(
    "NETWORK_ERROR",
    `${file.href} answered ${response.status} ${response.statusText}`.trimEnd() + ".",
    {
      hint: "Install svc: then its files are on this machine.",
    },
  );
}
