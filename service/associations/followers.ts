/** The followers of a case. They are kept in the case: whether the caller follows it is told with every answer. */
import type { Operator } from "../application/model/application.ts";
import { followersOf, setFollowers } from "../cases/state.ts";
import type { CaseWork } from "../cases/case_work.ts";
import { ServiceError } from "../errors.ts";

/** The followers of a case, in the order in which they began. */
export function listFollowers({ stored, context }: CaseWork): Operator[] {
  return followersOf(stored).map((id) => context.app.operators.get(id) ?? { id, name: id, queues: [] });
}

/** Lets an operator follow a case. */
export async function addFollower(work: CaseWork, user: string): Promise<void> {
  if (!work.context.app.operators.has(user)) throw new ServiceError(400, `User ${user} is not valid`);
  const followers = followersOf(work.stored);
  if (followers.includes(user)) throw new ServiceError(409, `User ${user} is already a follower`);
  await write(work, [...followers, user]);
}

/** Lets an operator no longer follow a case. */
export async function removeFollower(work: CaseWork, user: string): Promise<void> {
  const followers = followersOf(work.stored);
  if (!followers.includes(user)) throw new ServiceError(404, `User ${user} is not a follower`);
  await write(work, followers.filter((id) => id !== user));
}

/** The case keeps its entity tag: nobody's work on it is outdated by a follower. */
async function write({ stored, context }: CaseWork, followers: readonly string[]): Promise<void> {
  setFollowers(stored, followers);
  await context.tx.putCase(stored);
}
