/** Small pictures of images: images that are small already, as they are. Nothing here draws or scales. */
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import type { ByteStore } from "../store/bytes.ts";
import type { Attachment } from "./items.ts";

/** Bytes that a picture in a list may have. */
const LIMIT = 32 * 1024;

/** Formats that show a picture and nothing else: SVG can hold programs. */
const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"]);

/** A small picture of an attachment as base64; nothing for what is no image, a large one, or deleted meanwhile. */
export async function thumbnailOf(
  { file, mimeType = "", size = 0 }: Attachment,
  bytes: ByteStore,
): Promise<string | undefined> {
  if (file === undefined || size > LIMIT || !PICTURES.has(mimeType)) return undefined;
  const picture = await new Response(bytes.read(file)).bytes().catch(ignoreMissing);
  return picture?.toBase64();
}
