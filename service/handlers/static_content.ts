/** Serves the operations of `svc static-content`. */
import { ServiceError } from "../errors.ts";
import type { GroupHandlers, SentContent } from "../handler.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"staticContent"> = {
  async component({ componentID }, { statics }) {
    const found = await statics.find("components", `${componentID}.js`) ??
      await statics.find("components", componentID);
    return answer("component", componentID, found && { ...found, type: "application/javascript" });
  },

  async file({ fileID }, { statics }) {
    const found = await statics.find("files", fileID);
    return answer("file", fileID, found && { ...found, type: "application/octet-stream" });
  },

  async profileImage({ userId }, { app, statics }) {
    const known = app.operators.has(userId);
    const name = statics.names("profile-images").find((one) => one.replace(/\.[^.]*$/, "") === userId);
    const found = known && name !== undefined ? await statics.find("profile-images", name) : undefined;
    return answer("profile image of", userId, found);
  },
};

function answer(what: string, id: string, content: SentContent | undefined): { content: SentContent } {
  if (content !== undefined) return { content };
  throw new ServiceError(404, `The application has no ${what} '${id}'`);
}
