import { existsSync } from "node:fs"
import { join } from "node:path"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** A Chromium of this machine; `null` = it has none, and `what` is skipped with a notice. */
export const chromiumPath = (what: string): string | null => {
  const places = (process.env["PATH"] ?? "").split(":")
  const found = names.flatMap((name) => places.map((place) => join(place, name))).find(existsSync)
  if (found === undefined) {
    console.warn(`${what} is skipped: none of ${names.join(", ")} is in PATH.`)
  }
  return found ?? null
}
