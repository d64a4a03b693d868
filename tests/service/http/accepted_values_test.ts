/** Values that the service cannot honor are refused, so that none is lost unnoticed. */
import assert from "node:assert/strict";
import { isJsonObject } from "../../../utils/json.ts";
import { type ApiCallOptions, openService } from "../../harness/service.ts";
import { valueAt } from "../../harness/service_engine.ts";

const PERMIT = "City-Permit-Work-Permit";
const GUIDE = encodeURIComponent("@baseclass!PermitGuide");

async function createForm(...names: string[]): Promise<ApiCallOptions> {
  const form = new FormData();
  for (const name of names) form.append(name, new File(["plan"], "plan.txt"));
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
  return { text: await encoded.bytes(), headers };
}

Deno.test("a value that the service cannot honor is refused with the reason", async () => {
  await using svc = await openService();
  const refuse = async (method: string, path: string, options: ApiCallOptions, reason: string) => {
    const { status, body } = await svc.call(method, path, options);
    assert.deepEqual([status, JSON.stringify(body).includes(reason)], [400, true], JSON.stringify(body));
  };
  const created = await svc.call("POST", "/cases", { body: { caseTypeID: PERMIT, content: { Applicant: "Ada" } } });
  const id = isJsonObject(created.body) ? String(created.body.id) : "";

  const body = { caseTypeID: PERMIT, processId: "pyStartCase" };
  await refuse("POST", "/cases", { body }, "The body has no member 'processId'; it may have caseTypeID, content, ");

  const feed = `/feeds/pyCaseFeed?filterFor=${encodeURIComponent(id)}&feedClass=`;
  assert.equal((await svc.call("GET", feed + PERMIT)).status, 200);
  await refuse("GET", feed + "Data-Other", {}, `feedClass: the class of this feed is ${PERMIT}, not Data-Other.`);

  await refuse("POST", "/attachments/upload", await createForm("file", "file"), "The form has more than one file.");
  await refuse("POST", "/attachments/upload", await createForm("plan"), "The form has a file in the part 'plan'.");
  const uploaded = await svc.call("POST", "/attachments/upload", await createForm("file"));
  assert.equal(uploaded.status, 201);
  const upload = isJsonObject(uploaded.body) ? String(uploaded.body.ID) : "";
  const attachment = { type: "File", category: "File", ID: upload };

  const named = { ...attachment, attachmentFieldName: "Plan" };
  await refuse(
    "POST",
    "/cases",
    { body: { caseTypeID: PERMIT, attachments: [named] } },
    "'Plan' is not an attachment field that this form can change",
  );

  const conversations = `/ai-agents/${GUIDE}/conversations`;
  const started = await svc.call("POST", conversations, { body: { contextID: id } });
  const conversation = `${conversations}/${
    isJsonObject(started.body) ? encodeURIComponent(String(started.body.id)) : ""
  }`;
  const send = (ID: string) => ({ body: { Request: "fee", Attachments: [{ ...attachment, ID }] } });
  await refuse(
    "PATCH",
    conversation,
    send("no-upload"),
    "Attachments(1): the file was not uploaded, or its upload has expired.",
  );
  assert.equal((await svc.call("PATCH", conversation, send(upload))).status, 200);
});

Deno.test("a case is created by the request that the list of case types offers", async () => {
  await using svc = await openService();
  const { body: list } = await svc.call("GET", "/casetypes");
  const offered = valueAt(list, "caseTypes.0.links.create.request_body");
  const { status, body } = await svc.call("POST", "/cases", { body: offered });
  assert.deepEqual([status, valueAt(body, "data.caseInfo.caseTypeID")], [201, PERMIT]);
});
