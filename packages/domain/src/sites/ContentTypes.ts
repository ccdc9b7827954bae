import { lookup } from "mrmime"

/** Types of text that do not say so. */
const textual =
  /^(?:text\/|application\/(?:json|xml|javascript|wasm|manifest\+json)|.*\+(?:json|xml)$)/
/** Text without a charset would be guessed. */
const inUtf8 = /^(?:text\/|application\/(?:json|javascript|xml)|.*\+(?:json|xml)$)/
const unknown = "application/octet-stream"

const typeOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  // The library takes a name without a dot for an extension.
  return (name.includes(".") ? lookup(name) : undefined) ?? unknown
}

/** Files that builds of Unity pack themselves, and load by these names. Source: C-377. */
const packedNames = /\.(?:data|js|json|wasm)\.(?<ending>br|gz)$/i

/** The coding that a file already has by its name, as a build has packed it; `null` = none. */
export const packedCodingOf = (path: string): "br" | "gzip" | null => {
  const ending = packedNames.exec(path)?.groups?.["ending"]
  if (ending === undefined) return null
  return ending.toLowerCase() === "br" ? "br" : "gzip"
}

/** The content type of a file, by the extension of its name; of a packed one, that of its content. */
export const contentTypeOf = (path: string): string => {
  const type = typeOf(packedNames.test(path) ? path.replace(/\.[^.]*$/, "") : path)
  return inUtf8.test(type) ? `${type}; charset=utf-8` : type
}

/** Whether a compressed copy of a file is worth a try: text, and code of WebAssembly. */
export const isCompressible = (path: string): boolean => textual.test(typeOf(path))
