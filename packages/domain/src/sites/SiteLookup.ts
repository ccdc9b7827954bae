import { Data, Result } from "effect"

/** What a site has at an address. */
export type Found = Data.TaggedEnum<{
  File: { readonly path: string }
  /** A folder with an index, without its last slash. */
  Folder: { readonly location: string }
  /** `page` = the site's own page for it; `null` = it has none. */
  Missing: { readonly page: string | null }
  /** It cannot be read as an address. */
  Malformed: {}
}>
export const Found = Data.taggedEnum<Found>()

const index = "index.html"
const missingPage = "404.html"

/**
 * Finds the file of an address: a file by its name, the index of a folder, else the page `404.html` of the
 * site. Nothing but names of files of the site is ever looked for.
 *
 * @param has whether the site has a file at this path
 * @param target of the request: a path that begins with a slash, and a query
 */
export const lookUp = (has: (path: string) => boolean, target: string): Found => {
  const end = target.indexOf("?")
  const address = end < 0 ? target : target.slice(0, end)
  if (!address.startsWith("/")) return Found.Malformed()
  const decoded = Result.try(() => address.slice(1).split("/").map(decodeURIComponent))
  if (Result.isFailure(decoded)) return Found.Malformed()
  const parts = decoded.success
  const path = parts.join("/")
  // An encoded slash is part of a name, and no file has such a name.
  const isReadable = parts.every((part) => !part.includes("/"))
  if (isReadable && (path === "" || path.endsWith("/"))) {
    if (has(path + index)) return Found.File({ path: path + index })
  } else if (isReadable) {
    if (has(path)) return Found.File({ path })
    if (has(`${path}/${index}`)) {
      return Found.Folder({ location: `${address}/${end < 0 ? "" : target.slice(end)}` })
    }
  }
  return Found.Missing({ page: has(missingPage) ? missingPage : null })
}
