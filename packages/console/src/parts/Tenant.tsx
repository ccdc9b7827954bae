import { useSignal } from "@preact/signals"

import { shownLines, shownText } from "../text/ShownText.ts"

interface Props {
  readonly text: string
  /** Signs that are shown at first. */
  readonly max?: number
  /** Lines may break. */
  readonly lines?: boolean
  /** It stands in a link, a button or a label, which hold no button, or on one line: what is cut stays away. */
  readonly inControl?: boolean
}

/** Most that is ever shown of one text: a browser lays out no more in time. */
const wholeMax = 20_000

/** A text of a tenant: an id, a line, a value. It is text and nothing else, whatever is in it. */
export const Tenant = ({ text, max = 200, lines = false, inControl = false }: Props) => {
  const whole = useSignal(false)
  const shown = (lines ? shownLines : shownText)(text, whole.value ? wholeMax : max)
  return (
    <>
      <bdi class={lines ? "tenant lines" : "tenant"}>
        {shown.text}
        {shown.hidden > 0 && inControl && "…"}
      </bdi>
      {shown.hidden > 0 && !inControl && (
        <button
          type="button"
          class="more"
          disabled={whole.value}
          onClick={() => (whole.value = true)}
        >
          {whole.value ? `${shown.hidden} more not shown` : `… ${shown.hidden} more`}
        </button>
      )}
    </>
  )
}
