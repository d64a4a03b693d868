/** The operations of `svc static-content`. */
import type { Group } from "../operation/operation.ts";

const operations = {
  /**
   * Reads the JavaScript of a custom component of the application.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { type, stream } = await svc.staticContent.component("City_Map");
   * console.log(type, (await new Response(stream).text()).length);
   * ```
   */
  component: {
    summary: "Read the JavaScript of a custom component",
    method: "GET",
    path: "/components/{componentID}",
    args: [{ name: "componentID", help: "Component ID", type: "string", to: "path:componentID", required: true }],
    answer: "content",
    example: ["City_Map -o map.js", "City_Map | wc -c"],
  },
  /**
   * Reads a file of the application, byte for byte. The command line writes it to a file: `--output` is required there.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { name, size } = await svc.staticContent.file("logo.png");
   * console.log(name, size);
   * ```
   */
  file: {
    summary: "Read a file",
    method: "GET",
    path: "/files/{fileID}",
    args: [{ name: "fileID", help: "File ID", type: "string", to: "path:fileID", required: true }],
    answer: "content",
    output: "file",
    example: ["logo.png -o logo.png", "fees.csv > fees.csv"],
  },
  /**
   * Reads the profile image of a user.
   *
   * Errors: `NOT_FOUND`, also for a user without an image.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { type, stream } = await svc.staticContent.profileImage("clerk@city");
   * console.log(type, (await new Response(stream).bytes()).length);
   * ```
   */
  profileImage: {
    summary: "Read the profile image of a user",
    method: "GET",
    path: "/users/{user_ID}/profile-image",
    args: [{ name: "userId", help: "User ID", type: "string", to: "path:user_ID", required: true }],
    answer: "content",
    example: ["clerk@city -o clerk.png", "clerk@city > clerk.png"],
  },
} as const satisfies Group;

export default operations;
