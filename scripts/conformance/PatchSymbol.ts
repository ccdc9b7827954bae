import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { codeIn, type Span, textIn } from "./CodeMatch.ts"
import { symbolsOf, valueOf } from "./Symbols.ts"
import { meaningOf, type Node, parsed } from "./Syntax.ts"

/** One change of our program: the symbol whose source is read otherwise, and what is changed in it. */
export interface Edit {
  readonly id: string
  /** Folder of `packages`. */
  readonly package: string
  /** Names from the top of a module down: `RoomList.#row`. */
  readonly symbol: string
  /** The code that is replaced, as the syntax tree sees it. Neither this nor `text` = the whole value. */
  readonly code?: string
  /** Instead: a piece of the text of a literal or template. */
  readonly text?: string
  readonly replace: string
}

/** A file as it is read instead. */
export interface Patched {
  readonly file: string
  readonly source: string
}

/** A file of our program. */
export interface Source {
  readonly file: string
  readonly source: string
  readonly program: () => Node
}

const packages = join(import.meta.dirname, "../../packages")
const read = new Map<string, ReadonlyArray<Source>>()

/** Throws unless exactly one place is meant: a mutant that changes nothing would survive for ever. */
export const patchSymbol = (edit: Edit): Patched => {
  const sources = read.get(edit.package) ?? sourcesOf(edit.package)
  read.set(edit.package, sources)
  return patched(sources, edit)
}

/** The programs of a package, without what only its tests read. */
const sourcesOf = (name: string): ReadonlyArray<Source> =>
  readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .filter((path) => !/\.(?:test|contract)\.ts$|(?:^|\/)testing\//.test(path))
    .toSorted()
    .map((path) => {
      const file = join(packages, name, "src", path)
      return sourceFrom(file, readFileSync(file, "utf8"))
    })

/** A text as a file, whose tree is made when it is asked for. */
export const sourceFrom = (file: string, source: string): Source => {
  let program: Node | null = null
  return { file, source, program: () => (program ??= parsed(file, source)) }
}

/** The same in files that are given. */
export const patched = (sources: ReadonlyArray<Source>, edit: Edit): Patched => {
  const path = edit.symbol.split(".")
  const [top = ""] = path
  const symbols = sources.flatMap((source) =>
    source.source.includes(top)
      ? symbolsOf(source.program(), path).map((symbol) => ({ source, symbol }))
      : []
  )
  const where = `${edit.id}: ${edit.symbol} of packages/${edit.package}`
  if (symbols.length === 0) throw new Error(`${where} is gone: name what took its place`)
  const places = symbols.flatMap(({ source, symbol }) =>
    placesIn(symbol, { edit, source: source.source }).map((span) => ({ source, span }))
  )
  const [place] = places
  if (place === undefined || places.length > 1) {
    const sought = edit.code ?? edit.text ?? "one value"
    throw new Error(`${where} has this ${places.length} times and not once: ${sought}`)
  }
  const { file, source } = place.source
  const text = source.slice(0, place.span.start) + edit.replace + source.slice(place.span.end)
  if (meaningOf(parsed(file, text)) === meaningOf(place.source.program())) {
    throw new Error(`${where}: the mutant changes nothing`)
  }
  return { file, source: text }
}

/** Where in a symbol the change is made. */
const placesIn = (
  symbol: Node,
  { edit, source }: { readonly edit: Edit; readonly source: string }
): ReadonlyArray<Span> => {
  if (edit.code !== undefined) return codeIn(symbol, edit.code)
  return edit.text === undefined ? [valueOf(symbol)] : textIn(symbol, source, edit.text)
}
