/** The operations of `svc static-content`. */
import type { Group } from "../operation.ts";

/** The operations by name. */
export const operations = {
  component: {
    summary: "Read the JavaScript of a custom component",
    method: "GET",
    path: "/components/{componentID}",
    args: [{ name: "componentID", help: "Component ID", type: "string", to: "path:componentID", required: true }],
    answer: "content",
    example: "Acme_Map -o map.js",
  },
  file: {
    summary: "Read a file",
    method: "GET",
    path: "/files/{fileID}",
    args: [{ name: "fileID", help: "File ID", type: "string", to: "path:fileID", required: true }],
    answer: "content",
    output: "file",
    example: "logo.png -o logo.png",
  },
  profileImage: {
    summary: "Read the profile image of a user",
    method: "GET",
    path: "/users/{user_ID}/profile-image",
    args: [{ name: "userId", help: "User ID", type: "string", to: "path:user_ID", required: true }],
    answer: "content",
    example: "clerk@city -o clerk.png",
  },
} as const satisfies Group;
