/** Serves the operations of `svc static-content`. */
import { ServiceError } from "../errors.ts";
import type { GroupHandlers, Outcome, SentContent } from "../http/handler.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"staticContent"> = {
  component({ componentID }, { statics }) {
    return answer("component", componentID, async () => {
      const found = await statics.find("components", `${componentID}.js`) ??
        await statics.find("components", componentID);
      return found && { ...found, type: "application/javascript" };
    });
  },

  file({ fileID }, { statics }) {
    return answer("file", fileID, async () => {
      const found = await statics.find("files", fileID);
      return found && { ...found, type: "application/octet-stream" };
    });
  },

  profileImage({ userId }, { app, statics }) {
    return answer("profile image of", userId, async () => {
      const known = app.operators.has(userId);
      const name = statics.names("profile-images").find((one) => one.replace(/\.[^.]*$/, "") === userId);
      return known && name !== undefined ? await statics.find("profile-images", name) : undefined;
    });
  },
};

/** What is looked for outside of any unit of work: a disk may take its time. */
function answer(what: string, id: string, find: () => Promise<SentContent | undefined>): Outcome {
  return {
    goOn: async () => {
      const content = await find();
      if (content === undefined) throw new ServiceError(404, `The application has no ${what} '${id}'`);
      return () => ({ content });
    },
  };
}
