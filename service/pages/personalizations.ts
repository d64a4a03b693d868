/** Personalizations of UI lists. Each belongs to an operator, and one may be the default for everyone. */
import type { JsonObject } from "../../utils/json.ts";
import { countCharacters } from "../../utils/text/wording.ts";
import type { UiList } from "../application/model/application.ts";
import { checkEntityTag, nextEntityTag } from "../cases/case_work.ts";
import { scopeWithoutCase } from "../cases/scope.ts";
import { Conflict, Forbidden, Invalid, NotFound } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { StoredItem } from "../store/store.ts";

const KIND = "personalization";
const MAX_NAME = 100;

/** The values of a new or changed personalization. */
export interface PersonalizationValues {
  readonly name: string;
  /** ID (default: a random one). */
  readonly id?: string;
  /** State of the list, which is stored unchanged. */
  readonly personalizationState?: string;
  /** True to make it the default of its owner. */
  readonly markAsDefault?: boolean;
  /** True to make it the default for everyone. */
  readonly markAsAppDefault?: boolean;
  /** ID of a queue. */
  readonly routeToWorkbasket?: string;
  readonly ifMatch?: string;
}

interface Personalization extends JsonObject {
  id: string;
  tag: string;
  operator: string;
  name: string;
  state: string;
  isDefault: boolean;
  isAppDefault: boolean;
  queue?: string;
}

/** Lists the caller's personalizations and the default for everyone, oldest first. */
export async function listPersonalizations(list: UiList, context: HandlerContext): Promise<JsonObject[]> {
  const all = await readItems(list, context);
  return all.map(toPersonalization).filter((one) => isOwn(one, context) || one.isAppDefault).map((one) => ({
    id: one.id,
    etag: one.tag,
    ID: one.id,
    name: one.name,
    personalizationState: one.state,
    markAsDefault: one.isDefault && isOwn(one, context),
    markAsAppDefault: one.isAppDefault,
    ...(one.queue !== undefined && { pyRouteToWorkbasket: one.queue }),
    createdBy: one.operator,
  }));
}

/** Adds a personalization and returns its ID. Throws Conflict if the ID exists. */
export async function addPersonalization(
  list: UiList,
  values: PersonalizationValues,
  context: HandlerContext,
): Promise<string> {
  const { id = crypto.randomUUID() } = values;
  if (!/^[\w-]{1,100}$/.test(id)) {
    throw new Invalid("The ID must be 1 to 100 letters, digits, underscores and hyphens.");
  }
  if (await context.tx.getItem(KIND, toItemId(list, id))) {
    throw new Conflict(`${list.id} already has a personalization ${id}.`);
  }
  const empty = { state: "", isDefault: false, isAppDefault: false, name: "" };
  await update(
    list,
    { ...empty, id, operator: context.caller.id, tag: "" },
    values,
    context.now.toISOString(),
    context,
  );
  return id;
}

/** Changes a personalization of the caller. Missing values stay as they are. */
export async function changePersonalization(
  list: UiList,
  id: string,
  values: PersonalizationValues,
  context: HandlerContext,
): Promise<string> {
  const { current, at } = await getOwn(list, id, values.ifMatch, context);
  if (values.id !== undefined && values.id !== id) {
    throw new Invalid(`The personalization ${id} cannot get the ID ${values.id}.`);
  }
  await update(list, current, values, at, context);
  return id;
}

/** Deletes a personalization of the caller. */
export async function deletePersonalization(
  list: UiList,
  id: string,
  ifMatch: string | undefined,
  context: HandlerContext,
): Promise<string> {
  await getOwn(list, id, ifMatch, context);
  await context.tx.deleteItem(KIND, toItemId(list, id));
  return id;
}

/** Returns a personalization of the caller. Throws NotFound for those of others, too. */
async function getOwn(
  list: UiList,
  id: string,
  ifMatch: string | undefined,
  context: HandlerContext,
): Promise<{ current: Personalization; at: string }> {
  const item = await context.tx.getItem(KIND, toItemId(list, id));
  const current = item && toPersonalization(item);
  if (item === undefined || current === undefined || !isOwn(current, context)) {
    throw new NotFound(`You have no personalization ${id} of ${list.id}.`);
  }
  checkEntityTag(ifMatch, current.tag);
  return { current, at: item.at };
}

async function update(
  list: UiList,
  current: Personalization,
  values: PersonalizationValues,
  at: string,
  context: HandlerContext,
): Promise<void> {
  const { now, app } = context;
  const changed: Personalization = {
    ...current,
    name: values.name,
    tag: nextEntityTag(current.tag || undefined, now),
    state: values.personalizationState ?? current.state,
    isDefault: values.markAsDefault ?? current.isDefault,
    isAppDefault: values.markAsAppDefault ?? current.isAppDefault,
    queue: values.routeToWorkbasket ?? current.queue,
  };
  if (changed.name.trim() === "" || countCharacters(changed.name) > MAX_NAME) {
    throw new Invalid(`The name must have 1 to ${MAX_NAME} characters.`);
  }
  if (changed.queue !== undefined && !app.queues.has(changed.queue)) {
    throw new Invalid(`There is no queue ${changed.queue}.`);
  }
  if (changed.isAppDefault && !list.canSetAppDefault(scopeWithoutCase({}, context))) {
    throw new Forbidden(`You may not set the default of ${list.id} for everyone.`);
  }
  await clearDefaults(list, changed, context);
  await save(list, changed, at, context);
}

/** Replaces the old default by the new one. */
async function clearDefaults(list: UiList, added: Personalization, context: HandlerContext): Promise<void> {
  if (!added.isDefault && !added.isAppDefault) return;
  for (const item of await readItems(list, context)) {
    const one = toPersonalization(item);
    const isDefault = one.isDefault && !(added.isDefault && isOwn(one, context));
    const isAppDefault = one.isAppDefault && !added.isAppDefault;
    if (one.id === added.id || (isDefault === one.isDefault && isAppDefault === one.isAppDefault)) continue;
    await save(list, { ...one, isDefault, isAppDefault, tag: nextEntityTag(one.tag, context.now) }, item.at, context);
  }
}

async function save(list: UiList, content: Personalization, at: string, { tx }: HandlerContext): Promise<void> {
  await tx.putItem({ kind: KIND, id: toItemId(list, content.id), owner: list.id, at, content });
}

async function readItems(list: UiList, { tx }: HandlerContext): Promise<StoredItem[]> {
  return (await tx.listItems(KIND, list.id)).reverse();
}

function toItemId(list: UiList, id: string): string {
  return `${list.id}!${id}`;
}

function isOwn({ operator }: Personalization, { caller }: HandlerContext): boolean {
  return operator === caller.id;
}

function toPersonalization({ content }: StoredItem): Personalization {
  const { id, tag, operator, name, state, isDefault, isAppDefault, queue } = content;
  return {
    id: String(id),
    tag: String(tag),
    operator: String(operator),
    name: String(name),
    state: String(state),
    isDefault: isDefault === true,
    isAppDefault: isAppDefault === true,
    ...(typeof queue === "string" && { queue }),
  };
}
