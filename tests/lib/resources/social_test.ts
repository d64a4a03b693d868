/** The requests and calls of `svc social`. */
import { C } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

testOperations("social", {
  requests: {
    [`social list-messages --filter-by messages --filter-for ${C} --page-size 5 --older-than 2026-01-02T03:04:05Z`]: {
      request:
        "GET /messages?filterBy=messages&filterFor=ACME-WORK%20C-1&pageSize=5&olderThan=2026-01-02T03%3A04%3A05Z",
    },
    [`social post-message --context ${C} --message hi --route-to-workbasket WB --message-type News`]: {
      request: "POST /messages?message-type=News",
      body: { context: "ACME-WORK C-1", message: "hi", pyRouteToWorkbasket: "WB" },
    },
    [`social get-message M-1`]: { request: "GET /messages/M-1" },
    [`social update-message M-1 --message hi --route-to-workbasket WB`]: {
      request: "PUT /messages/M-1",
      body: { message: "hi", pyRouteToWorkbasket: "WB" },
    },
    [`social delete-message M-1`]: { request: "DELETE /messages/M-1" },
    [`social like-message M-1`]: { request: "POST /messages/M-1/likes" },
    [`social list-likes M-1`]: { request: "GET /messages/M-1/likes" },
    [`social unlike-message M-1`]: { request: "DELETE /messages/M-1/likes" },
    [`social get-feed pyCaseFeed --filter-for ${C} --older-than 2026-01-02 --page-size 5 --feed-class X --filter-by a,b`]:
      {
        request:
          "GET /feeds/pyCaseFeed?filterFor=ACME-WORK%20C-1&olderThan=2026-01-02&pageSize=5&feedClass=X&filterBy=a%2Cb",
      },
    [`social get-message-type Pega-Social-Message`]: { request: "GET /message-types/Pega-Social-Message" },
    [`social list-mention-types`]: { request: "GET /mention_types" },
    [`social list-mentions --mentions-type Users --context ${C} --search-for re --list-size 3`]: {
      request: "GET /mentions?mentionsType=Users&context=ACME-WORK%20C-1&searchFor=re&listSize=3",
    },
    [`social list-suggested-tags --context ${C}`]: { request: "GET /suggested_tags?context=ACME-WORK%20C-1" },
    [`social search-tags --search-for ho --list-size 3`]: { request: "GET /tags?searchFor=ho&listSize=3" },
  },
  steps: [
    { line: "tags add '{permit}' --tag 'old, big'" },
    {
      line: "social post-message --context '{permit}' --message 'Plan received, @Rosa #urgent'",
      says: { "tags.0": "urgent", "mentions.0.mentionsID": "reviewer@city" },
      keep: { message: "id" },
    },
    { line: "social get-message '{message}'", says: { id: "{message}" } },
    { line: "social update-message '{message}' --message 'Plan complete #urgent'", says: { message: /complete/ } },
    { line: "social like-message '{message}'", as: "reviewer@city" },
    { line: "social list-likes '{message}'", says: { pxLikeCount: 1, "likes.0.ID": "reviewer@city" } },
    { line: "social unlike-message '{message}'", as: "reviewer@city" },
    {
      line: "social list-messages --filter-by messages --filter-for '{permit}'",
      says: { "messages.0.id": "{message}" },
    },
    {
      line: "social get-feed pyCaseFeed --filter-for '{permit}' --page-size 20",
      says: { "data.FeedList.pxResults.0.id": "{message}" },
    },
    { line: "social get-message-type City-Permit-Social-Question", says: { pyRouteToWorkbasket: "Review" } },
    { line: "social list-mention-types", says: { "0.id": "Users" } },
    {
      line: "social list-mentions --mentions-type Users --search-for cla",
      says: { "0.mentionsID": "clerk@city" },
    },
    { line: "social list-suggested-tags --context '{permit}'", says: { tags: ["old, big", "urgent"] } },
    { line: "social search-tags --search-for urg", says: { "tags.0": "urgent" } },
    { line: "social delete-message '{message}'" },
  ],
});
