import { SiteLimits } from "./SiteLimits.ts"

const { max } = SiteLimits.sitePathBytes

/** Files of a folder that are never part of its site, even if a flag asks for hidden files. Spec: Project file, static. */
export const isNeverPublished = (segment: string): boolean => {
  // Names are compared as file systems do that know no case.
  const lower = segment.toLowerCase()
  return lower === ".git" || lower === "node_modules" || lower.startsWith(".env")
}

/** A text of so many UTF-16 units has at most three times as many bytes: most paths need no counting. */
const isTooLong = (text: string): boolean =>
  text.length * 3 > max && new TextEncoder().encode(text).length > max

const controls = /\p{Cc}/u

/**
 * Why a path cannot name a file of a site; `null` = it can. A path has its parts separated by `/`, as a
 * URL does, and begins at the folder of the site.
 */
export const pathFault = (path: string): string | null => {
  if (!path.isWellFormed()) return "not whole characters"
  if (path === "" || isTooLong(path)) return `must have 1 to ${max} bytes`
  if (controls.test(path)) return "has a control character"
  if (path.includes("\\")) return "has a backslash"
  if (path.startsWith("/")) return "begins with a slash"
  const segments = path.split("/")
  if (segments.includes("")) return "has an empty part"
  if (segments.includes(".") || segments.includes("..")) return "has a part . or .."
  const never = segments.find(isNeverPublished)
  return never === undefined ? null : `${never} is never published`
}
