import { Result } from "effect"
import { parse, parseDocument } from "yaml"

/**
 * The scenario's text with one value changed.
 *
 * @param change `players.daily=160000`; a number in the path is the place in a list, counted from 0
 */
export const changedText = (text: string, change: string): Result.Result<string, string> => {
  const [path = "", ...rest] = change.split("=")
  if (path === "" || rest.length === 0) {
    return Result.fail(`--what-if ${change}: say a key and a value, such as players.daily=160000`)
  }
  const document = parseDocument(text, { prettyErrors: false, stringKeys: true })
  if (document.errors.length > 0) return Result.succeed(text)
  return Result.try({
    try: () => {
      const keys = path.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key))
      document.setIn(keys, document.createNode(parse(rest.join("="))))
      return document.toString({ lineWidth: 0 })
    },
    catch: () => `--what-if ${change}: ${path} is no key of the scenario`
  })
}
