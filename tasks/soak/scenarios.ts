import { backups } from "./backups.ts";
import { concurrentClients } from "./concurrent_clients.ts";
import { connections } from "./connections.ts";
import { forms } from "./forms.ts";
import { formsInChromium } from "./forms_in_chromium.ts";
import { fullDisk } from "./full_disk.ts";
import { fuzz } from "./fuzz.ts";
import { outages } from "./outages.ts";
import type { Scenario } from "./scenario.ts";
import { serviceKills } from "./service_kills.ts";
import { tokenCache } from "./token_cache.ts";

/** All scenarios, in the order of the table. */
export const scenarios: readonly Scenario[] = [
  serviceKills,
  concurrentClients,
  fuzz,
  connections,
  tokenCache,
  outages,
  backups,
  fullDisk,
  forms,
  formsInChromium,
];
