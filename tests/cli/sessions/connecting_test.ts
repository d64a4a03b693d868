/** Connecting: a new colleague adds a profile, tests and uses it, and completes the number of a case. */
import assert from "node:assert/strict";
import { openLiveForAll } from "../../harness/service.ts";
import { isInstalled } from "../../harness/screens.ts";
import { makeFolder } from "../../harness/svc.ts";
import { KEYS } from "../../harness/terminal.ts";
import { ON_UNIX, Session, SHORT_PARENT } from "./_session.ts";

const live = await openLiveForAll();

/** The output of a test of the connection. */
const DIAGNOSIS = `✓ configuration  client client-XXXXXXXXXXXX of http://127.0.0.1:NNNNN, API at
                 /dx-api/v2
✓ dns            127.0.0.1 is 127.0.0.1
✓ tcp            127.0.0.1:NNNNN accepts connections
✓ tls            not used: the address starts with http://
✓ token          http://127.0.0.1:NNNNN/oauth2/token issued a token that expires
                 YYYY-MM-DD hh:mm (clientAuth basic)
✓ api            GET /dx-api/v2/casetypes responded with 200; case types: 4`;

Deno.test("a new colleague adds a profile, tests it, and uses it", ON_UNIX, async () => {
  const { SVC_BASE_URL = "", SVC_CLIENT_ID = "", SVC_CLIENT_SECRET = "" } = await live.environment("reviewer@city");
  await using config = await makeFolder({}, SHORT_PARENT);
  await using session = await Session.open({ env: { SVC_CONFIG_DIR: config.path } });

  assert.equal(
    await session.run("svc inbox", { code: 2 }),
    `Error: There is no profile "default" in
TEMP/config.json.

Without a profile, svc uses SVC_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET.
Run 'svc profile add default' to create the profile, or 'svc service start' to
start a local service and create its profile.`,
  );
  const added = await session.converse("svc profile add", [
    ["Name of the profile", KEYS.ctrlU, "city"],
    ["Which deployment is it?"],
    ["Address of the service, e.g. https://svc.example", SVC_BASE_URL],
    ["Client ID", SVC_CLIENT_ID],
    ["Where shall svc keep the client secret?"],
    ["Client secret (not shown)", SVC_CLIENT_SECRET],
    ["Show results for people at a terminal, instead of JSON?"],
    ["Test the connection now?"],
  ]);
  assert.equal(
    added,
    `│
◇  Name of the profile
│  city
│
◇  Which deployment is it?
│  Paths /dx-api/v2 and /oauth2/token, as in the embedded service
│
◇  Address of the service, e.g. https://svc.example
│  http://127.0.0.1:NNNNN
│
◇  Client ID
│  client-XXXXXXXXXXXX
│
◇  Where shall svc keep the client secret?
│  In the configuration file, which only you can read
│
◇  Client secret (not shown)
│  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪
│
◇  Show results for people at a terminal, instead of JSON?
│  Yes
Added the profile city. Try it: svc case-types list
│
◇  Test the connection now?
│  Yes
${DIAGNOSIS}`,
  );
  assert.equal(
    await session.run("svc profile list"),
    `profile  default  baseUrl                 clientId
───────  ───────  ──────────────────────  ───────────────────
city     Yes      http://127.0.0.1:NNNNN  client-XXXXXXXXXXXX`,
  );
  assert.equal(
    await session.run("svc profile use ctiy", { code: 2 }),
    `Error: There is no profile "ctiy" in TEMP/config.json.

Did you mean "city"? Run 'svc profile list' to see the profiles.`,
  );
  assert.equal(
    await session.run("svc profile use city"),
    `Profile    city
Default    Yes
Base URL   http://127.0.0.1:NNNNN
Format     view
Client ID  client-XXXXXXXXXXXX
Secret     in the configuration file
File       TEMP/config.json`,
  );
  assert.equal(
    await session.run("svc profile test"),
    `${DIAGNOSIS}

Supported, as far as reads can show it
  Inbox and search           yes
  Worklist                   yes
  History of a case          not tested: No case was found to read.
  Data views of cases        yes
  Pages of a data view       yes
  Queries of a data view     yes
  Metadata of a data view    yes
  Entity tags of cases       not tested: No case was found to read.
  Attachments                not tested: No case was found to read.
  Participants               not tested: No case was found to read.
  Followers                  not tested: No case was found to read.
  Tags                       not tested: No case was found to read.
  Related cases              not tested: No case was found to read.
  Messages                   not tested: No case was found to read.
  AI agents                  yes
  Creation of cases          not tested
  Forms of actions           not tested
  Uploads                    not tested
  Bulk actions               not tested
  Changes of records         not tested
  Conversations with agents  not tested
  Idempotency keys           not tested
Stored in the profile city. Commands rely on it for 30 days.`,
  );
  assert.equal(
    await session.run("svc auth whoami"),
    `Profile    city
Server     http://127.0.0.1:NNNNN
Client ID  client-XXXXXXXXXXXX
Operator   reviewer@city
Name       Rosa Reviewer
Queues     Review`,
  );
  assert.equal(await session.run("svc inbox"), "No open work.");
});

Deno.test({
  name: "a case that was read completes by its first letter",
  ignore: !isInstalled("bash"),
  async fn() {
    await live.createPermit({ Applicant: "Ada" });
    await using session = await Session.open({
      env: await live.environment(),
      shell: ["bash", "--norc", "--noprofile", "-i"],
    });
    await session.run("source <(svc completion bash)");
    await session.run("svc inbox");
    assert.match(await session.run("svc history p\t"), /Created the case P-1/);
    await session.waitFor(/^\$ svc history p-1 ?$/m);
  },
});
