import type { Codecs } from "../codec/Codecs.ts"
import { routeCapabilities } from "../sections/Capabilities.ts"
import type { Capability } from "../sections/Capability.ts"
import type { HttpAnswer } from "./HttpProbe.ts"

/** The features that a check saw at work, so that no requirement passes by a feature that is not there. */
export class Witness {
  readonly #seen = new Set<Capability>()

  saw(capability: Capability): void {
    this.#seen.add(capability)
  }

  /** A route is there when it does what is asked, or refuses it for a reason of its own. */
  answered(answer: HttpAnswer, codecs: Pick<Codecs, "error">): void {
    if (!isThere(answer, codecs)) return
    const { method, path } = answer.request
    const bare = path.replace(/\?.*$/, "")
    for (const { capability, pattern } of patterns()) {
      if (pattern.test(`${method} ${bare}`)) this.saw(capability)
    }
  }

  /** A command is there when it did what was asked. */
  ran(args: ReadonlyArray<string>): void {
    const flag = args.findIndex((arg) => arg.startsWith("-"))
    const words = flag === -1 ? args : args.slice(0, flag)
    const [command = ""] = words
    if (command === "deploy" && args.includes("--static"))
      return this.saw("command deploy --static")
    this.saw(`command ${command}`)
    if (words.length > 1) this.saw(`command ${command} ${words[1]}`)
  }

  list(): ReadonlyArray<Capability> {
    return [...this.#seen].toSorted()
  }
}

/** 401, 403 and 405 come before the route is looked for; so does a 404 that names nothing. */
const isThere = (answer: HttpAnswer, codecs: Pick<Codecs, "error">): boolean => {
  const { status } = answer
  if (status >= 200 && status < 300) return true
  if ([400, 409, 413, 422, 429].includes(status)) return true
  return status === 404 && !["E_NOT_FOUND", undefined].includes(codecs.error(answer)?.code)
}

let known: ReadonlyArray<{ readonly capability: Capability; readonly pattern: RegExp }> | undefined

const patterns = () => {
  known ??= routeCapabilities().map((capability) => {
    const [method = "", path = ""] = capability.slice("route ".length).split(" ")
    const source = path.replaceAll(/:[A-Za-z]+/g, "[^/]+")
    // A path below a board reads that board.
    const rest = path === "/v1/leaderboard" ? "(?:/.*)?" : ""
    return { capability, pattern: new RegExp(`^${method} ${source}${rest}$`) }
  })
  return known
}
