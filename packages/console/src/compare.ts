import { compareSaves, type Comparison, type SaveSide } from "./saves/CompareSaves.ts"
import { errorText } from "./text/ErrorText.ts"

/** What the page asks the worker. */
export interface CompareAsked {
  readonly before: SaveSide
  readonly after: SaveSide
}

/** The worker's only answer to a question. */
export type CompareAnswer =
  | { readonly _tag: "Compared"; readonly comparison: Comparison }
  | { readonly _tag: "Unreadable"; readonly why: string }

const answerTo = ({ before, after }: CompareAsked): CompareAnswer => {
  try {
    return { _tag: "Compared", comparison: compareSaves(before, after) }
  } catch (error) {
    return { _tag: "Unreadable", why: errorText(error) }
  }
}

addEventListener("message", ({ data }: MessageEvent<CompareAsked>) => {
  postMessage(answerTo(data))
})
