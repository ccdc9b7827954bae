const charsMax = 214

/** Names that npm gives to nothing, or takes for a folder of its own. */
const reserved: ReadonlySet<string> = new Set(["node_modules", "favicon.ico"])

/**
 * A name that npm takes for a package, as near to the given one as it can be.
 *
 * @param installed packages that the project depends on: npm installs none into a package of its name
 */
export const packageNameOf = (name: string, installed: ReadonlyArray<string>): string => {
  const near = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .slice(0, charsMax)
    .replace(/^[._-]+|[._-]+$/g, "")
  if (near === "") return "game"
  return reserved.has(near) || installed.includes(near) ? `${near}-game`.slice(-charsMax) : near
}
