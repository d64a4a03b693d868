/** The features of a service, which `svc profile test` looks for and stores in the profile. */
import { hasShape, type ObjectShape, type ValueOf } from "../../utils/shape.ts";

/** The features that reads can show, with their labels. */
export const FEATURES = {
  workOperations: "Inbox and search",
  worklist: "Worklist",
  history: "History of a case",
  caseViews: "Data views of cases",
  paging: "Pages of a data view",
  queries: "Queries of a data view",
  metadata: "Metadata of a data view",
  entityTags: "Entity tags of cases",
  attachments: "Attachments",
  participants: "Participants",
  followers: "Followers",
  tags: "Tags",
  relatedCases: "Related cases",
  messages: "Messages",
  agents: "AI agents",
} as const;

/** A feature that reads can show. */
export type Feature = keyof typeof FEATURES;

/** The shape of the stored features. */
export const SUPPORTED_FEATURES = {
  required: {
    /** Time of the test, in ISO 8601. */
    testedAt: "string",
  },
  optional: {
    workOperations: "boolean",
    worklist: "boolean",
    history: "boolean",
    caseViews: "boolean",
    paging: "boolean",
    queries: "boolean",
    metadata: "boolean",
    entityTags: "boolean",
    attachments: "boolean",
    participants: "boolean",
    followers: "boolean",
    tags: "boolean",
    relatedCases: "boolean",
    messages: "boolean",
    agents: "boolean",
  } satisfies Record<Feature, "boolean">,
} as const satisfies ObjectShape;

/** The features of a service at the time of the test. A missing feature was not tested. */
export type SupportedFeatures = ValueOf<typeof SUPPORTED_FEATURES>;

const DAY = 24 * 60 * 60 * 1000;

/** Days after which a test counts as outdated, because services are upgraded. */
const MAX_AGE_DAYS = 30;

/** Reports whether a value describes the features of a service. */
export function isSupportedFeatures(value: unknown): value is SupportedFeatures {
  return hasShape(value, SUPPORTED_FEATURES) && !Number.isNaN(Date.parse(value.testedAt));
}

/** Reports whether the test is recent enough to rely on. */
export function isRecent({ testedAt }: SupportedFeatures): boolean {
  return Date.now() - Date.parse(testedAt) < MAX_AGE_DAYS * DAY;
}
