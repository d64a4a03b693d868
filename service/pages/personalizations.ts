/** How people have arranged a UI list: each has their own, and one of somebody's may be everybody's default. */
import type { JsonObject } from "../../utils/json.ts";
import { countCharacters } from "../../utils/text/wording.ts";
import type { UiList } from "../application/model/application.ts";
import { scopeWithoutCase } from "../cases/context.ts";
import { ServiceError } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { StoredItem } from "../store/store.ts";
import { checkEntityTag, nextEntityTag } from "../cases/entity_tags.ts";

const KIND = "personalization";
const NAME_LIMIT = 100;

/** What a person says of a personalization. */
export interface PersonalizationValues {
  /** Name for people. */
  readonly name: string;
  /** ID; made up without it. */
  readonly id?: string;
  /** State of the list, kept as it is. */
  readonly personalizationState?: string;
  /** Whether it is its owner's default. */
  readonly markAsDefault?: boolean;
  /** Whether it is everybody's default. */
  readonly markAsAppDefault?: boolean;
  /** Queue. */
  readonly routeToWorkbasket?: string;
  /** Entity tag. */
  readonly ifMatch?: string;
}

/** What is stored of one. */
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

/** Those that the caller sees: their own, and everybody's default; the oldest first. */
export async function personalizationsOf(list: UiList, context: HandlerContext): Promise<JsonObject[]> {
  const all = await itemsOf(list, context);
  return all.map(read).filter((one) => isOwn(one, context) || one.isAppDefault).map((one) => ({
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

/** Adds one and answers its ID; 409 where the ID is taken. */
export async function addPersonalization(
  list: UiList,
  values: PersonalizationValues,
  context: HandlerContext,
): Promise<string> {
  const { id = crypto.randomUUID() } = values;
  if (!/^[\w-]{1,100}$/.test(id)) {
    throw new ServiceError(400, "The ID must be 1 to 100 letters, digits, underscores and hyphens.");
  }
  if (await context.tx.getItem(KIND, keyOf(list, id))) {
    throw new ServiceError(409, `${list.id} has a personalization ${id} already.`);
  }
  const none = { state: "", isDefault: false, isAppDefault: false, name: "" };
  await write(list, { ...none, id, operator: context.caller.id, tag: "" }, values, context.now.toISOString(), context);
  return id;
}

/** Changes one of the caller's: what is not given stays. */
export async function changePersonalization(
  list: UiList,
  id: string,
  values: PersonalizationValues,
  context: HandlerContext,
): Promise<string> {
  const { current, at } = await own(list, id, values.ifMatch, context);
  if (values.id !== undefined && values.id !== id) {
    throw new ServiceError(400, `The personalization ${id} cannot get the ID ${values.id}.`);
  }
  await write(list, current, values, at, context);
  return id;
}

/** Removes one of the caller's. */
export async function removePersonalization(
  list: UiList,
  id: string,
  ifMatch: string | undefined,
  context: HandlerContext,
): Promise<string> {
  await own(list, id, ifMatch, context);
  await context.tx.deleteItem(KIND, keyOf(list, id));
  return id;
}

/** One of the caller's, or 404: nobody learns of those of others. */
async function own(
  list: UiList,
  id: string,
  ifMatch: string | undefined,
  context: HandlerContext,
): Promise<{ current: Personalization; at: string }> {
  const item = await context.tx.getItem(KIND, keyOf(list, id));
  const current = item && read(item);
  if (item === undefined || current === undefined || !isOwn(current, context)) {
    throw new ServiceError(404, `You have no personalization ${id} of ${list.id}.`);
  }
  checkEntityTag(ifMatch, current.tag);
  return { current, at: item.at };
}

async function write(
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
  if (changed.name.trim() === "" || countCharacters(changed.name) > NAME_LIMIT) {
    throw new ServiceError(400, `The name must be 1 to ${NAME_LIMIT} countCharacters.`);
  }
  if (changed.queue !== undefined && !app.queues.has(changed.queue)) {
    throw new ServiceError(400, `There is no queue ${changed.queue}.`);
  }
  if (changed.isAppDefault && !list.canSetAppDefault(scopeWithoutCase({}, context))) {
    throw new ServiceError(403, `You may not decide what everybody sees of ${list.id}.`);
  }
  await clearDefaults(list, changed, context);
  await put(list, changed, at, context);
}

/** A new default takes the place of the old one. */
async function clearDefaults(list: UiList, fresh: Personalization, context: HandlerContext): Promise<void> {
  if (!fresh.isDefault && !fresh.isAppDefault) return;
  for (const item of await itemsOf(list, context)) {
    const one = read(item);
    const isDefault = one.isDefault && !(fresh.isDefault && isOwn(one, context));
    const isAppDefault = one.isAppDefault && !fresh.isAppDefault;
    if (one.id === fresh.id || (isDefault === one.isDefault && isAppDefault === one.isAppDefault)) continue;
    await put(list, { ...one, isDefault, isAppDefault, tag: nextEntityTag(one.tag, context.now) }, item.at, context);
  }
}

async function put(list: UiList, content: Personalization, at: string, { tx }: HandlerContext): Promise<void> {
  await tx.putItem({ kind: KIND, id: keyOf(list, content.id), owner: list.id, at, content });
}

async function itemsOf(list: UiList, { tx }: HandlerContext): Promise<StoredItem[]> {
  return (await tx.itemsOf(KIND, list.id)).reverse();
}

function keyOf(list: UiList, id: string): string {
  return `${list.id}!${id}`;
}

function isOwn({ operator }: Personalization, { caller }: HandlerContext): boolean {
  return operator === caller.id;
}

function read({ content }: StoredItem): Personalization {
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
