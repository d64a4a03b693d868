/**
 * The script of the crash test. It makes calls of every kind. Most of them have an effect, which a second call would
 * have again. Texts contain random values and the time, which reveals a replay with new ones.
 */
import { defineWorkflow } from "@svc/lib/workflow";

const PERMIT = "City-Permit-Work-Permit";

export default defineWorkflow<{ key: string }>({
  name: "crash",
  allow: ["*"],
  async run({ svc, input: { key }, log, sleep, waitFor }) {
    const token = `${crypto.randomUUID()}/${Date.now()}/${Math.random().toFixed(9)}`;
    const permit = await createCase(`${key}-permit`);
    await svc.assignments.getAction(permit.assignment, { action: "Register" });
    await svc.assignments.save(permit.assignment, { action: "Register", data: { Area: 12 } });
    const { etag } = await svc.assignments.get(permit.assignment);
    const registered = await svc.assignments.perform(permit.assignment, {
      action: "Register",
      data: { Address: `Main Street ${token}`, Area: 40, Documents: [{ Title: "Plan", Pages: 3 }] },
    }, { ifMatch: etag });
    log(`${key}: registered`);

    const [companion, adviser, tags, follower, question, record] = await Promise.all([
      createCase(`${key}-companion`),
      svc.participants.add(permit.id, { role: "Adviser", data: { pyLastName: "Adviser", Subject: "Heritage" } }),
      svc.tags.add(permit.id, { tag: ["urgent", "heritage"] }),
      svc.followers.add(permit.id, { user: "reviewer@city" }),
      svc.social.postMessage({ context: permit.id, message: `Is it complete? ${token}` }),
      svc.data.create("D_Inspectors", { data: { ID: key, Name: "Ines Inspector" } }),
    ]);
    log(`${key}: surrounded`);

    const plan = await svc.attachments.upload({ file: new File([`The plan of ${key}. ${token}`], `${key}.txt`) });
    await svc.attachments.add(permit.id, {
      attachments: [
        { type: "File", category: "File", name: `${key}.txt`, ID: plan.ID },
        { type: "URL", category: "URL", name: "City", url: "https://city.example" },
      ],
    });
    const { attachments: [link] } = await svc.attachments.list(permit.id);
    const [reply] = await Promise.all([
      svc.social.postMessage({ context: question.id, message: `It is. ${token}` }),
      svc.social.likeMessage(question.id),
      svc.data.patch("D_Inspectors", { data: { ID: key, Phone: "555-0100" } }, { ifMatch: record.etag }),
      svc.participants.update(permit.id, {
        participantId: adviser.id ?? "",
        data: { pyEmail1: "adviser@city.example" },
      }),
      svc.cases.performAction(companion.id, { action: "pyUpdateCaseDetails", data: { Channel: "Desk" } }),
    ]);
    if (link) await svc.attachments.patch(link.ID, { name: "The city" });
    await svc.social.updateMessage(reply.id, { message: `It is complete. ${token}` });
    log(`${key}: discussed`);

    await svc.data.patch("D_Inspectors", { data: { ID: key, Name: `Ines ${token}` } });
    await svc.data.create("D_Inspectors", { data: { ID: `${key}-2`, Name: "Second Inspector" } });
    await svc.data.delete("D_Inspectors", { params: { ID: `${key}-2` } });
    await svc.related.add(permit.id, { relatedCaseId: companion.id, relationship: "companion" });
    const bulk = await svc.cases.bulkPerform({
      action: "Expedite",
      cases: [permit.id, companion.id],
      data: { Reason: token },
    });
    await svc.cases.bulkPerform({
      action: "Expedite",
      cases: [companion.id],
      data: { Reason: `Again: ${token}` },
      runningMode: "async",
    });
    await waitFor(
      () => svc.cases.get(companion.id),
      ({ data }) => String(data.caseInfo.content?.Reason).startsWith("Again"),
      { everySeconds: 0.1 },
    );
    await sleep(100);
    const mistake = await createCase(`${key}-mistake`);
    await svc.cases.delete(mistake.id);
    await svc.tags.delete(permit.id, { tag: "heritage" });
    log(`${key}: expedited`);

    const review = await reviewOf(permit.id);
    await svc.assignments.perform(review, { action: "CheckApplication" });
    await svc.assignments.perform(review, { action: "CheckDocuments" });
    await svc.assignments.perform(review, { action: "GiveAdvice", data: { Complete: true, Advice: token } });
    await svc.cases.startProcess(permit.id, { process: "Site_Visit" });
    await svc.cases.stageNext(companion.id);
    await svc.cases.performAction(companion.id, { action: "Withdraw", data: { Reason: token } });
    const last = await svc.cases.getView(permit.id, { view: "Summary" });
    log(`${key}: advised`);
    return {
      key,
      token,
      registered: registered.status,
      statuses: [...tags, ...follower].map(({ status }) => status),
      bulk: bulk.results,
      fee: last.data.caseInfo.content?.Fee,
    };

    async function createCase(applicant: string): Promise<{ id: string; assignment: string }> {
      const { id, nextAssignmentInfo } = await svc.cases.create({ type: PERMIT, data: { Applicant: applicant } });
      if (!nextAssignmentInfo) throw new Error(`${applicant} has no assignment.`);
      return { id, assignment: nextAssignmentInfo.ID };
    }

    async function reviewOf(id: string): Promise<string> {
      const { data } = await svc.cases.get(id);
      const [assignment] = data.caseInfo.assignments ?? [];
      if (!assignment) throw new Error(`${id} is not in review.`);
      return assignment.ID;
    }
  },
});
