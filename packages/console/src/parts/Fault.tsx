import type { CodeText } from "@atrium/domain/codes/CodeText"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"

import type { Refusal } from "../service/Service.ts"
import { plainText } from "../text/ShownText.ts"
import { Tenant } from "./Tenant.tsx"

/** A refusal of the service: its own words, its code, and on request what that code means. */
export const Fault = ({ refusal, again }: { refusal: Refusal; again?: () => void }) => {
  const open = useSignal(false)
  return (
    <div class="fault" role="alert">
      <p>
        <Tenant text={refusal.message} max={300} />
      </p>
      <p class="fault-line">
        <code>{plainText(refusal.code, 60)}</code>
        {refusal.code.startsWith("E_") && (
          <button
            type="button"
            class="plain"
            aria-expanded={open.value}
            onClick={() => (open.value = !open.value)}
          >
            Explain
          </button>
        )}
        {again !== undefined && (
          <button type="button" class="plain" onClick={again}>
            Try again
          </button>
        )}
      </p>
      {open.value && <Explanation code={refusal.code} />}
    </div>
  )
}

const notLoaded: CodeText = {
  means: "This page could not load the explanation.",
  why: "The service did not answer, or has another version by now.",
  next: "Reload the page, or ask in a terminal."
}

const Explanation = ({ code }: { code: string }) => {
  const found = useSignal<CodeText | null>(null)
  useEffect(() => {
    import("../service/Codes.ts").then(
      ({ textOf }) => (found.value = textOf(code)),
      () => (found.value = notLoaded)
    )
  }, [code])
  const text = found.value
  return (
    <dl class="explained">
      {text === null ? (
        <dd>Reading…</dd>
      ) : (
        <>
          <dt>What it means</dt>
          <dd>{text.means}</dd>
          <dt>Why it comes</dt>
          <dd>{text.why}</dd>
          <dt>What to do</dt>
          <dd>{text.next}</dd>
        </>
      )}
      <dt>In a terminal</dt>
      <dd>
        <code>atrium explain {code}</code>
      </dd>
    </dl>
  )
}
