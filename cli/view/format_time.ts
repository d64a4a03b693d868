/** Formats the time since a timestamp, e.g. `3 min` or `2 d`. Other texts stay as they are. */
export function formatAge(text: string): string {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(text)) / 60_000));
  if (Number.isNaN(minutes)) return text;
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} d`;
}

/** Formats a timestamp in local time, e.g. `2026-01-31 09:30`. Other texts stay as they are. */
export function formatTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  const two = (number: number) => String(number).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
