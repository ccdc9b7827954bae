import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"

import type { Refusal } from "../service/Service.ts"
import { Fault } from "./Fault.tsx"

interface Props {
  readonly title: string
  /** Text of the button that confirms. */
  readonly act: string
  /** The reader types this word first; absent = a click is enough. */
  readonly typed?: string
  /** The action deletes nothing, and its button is not red. */
  readonly harmless?: boolean
  /** @returns why it was refused; `null` = it is done, and the question goes */
  readonly onAct: () => Promise<Refusal | null>
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Asks before something is done that cannot be undone. Escape and _Cancel_ do nothing. */
export const Confirm = ({
  title,
  act,
  typed,
  harmless = false,
  onAct,
  onClose,
  children
}: Props) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const refused = useSignal<Refusal | null>(null)
  const works = useSignal(false)
  const text = useSignal("")
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const perform = async (): Promise<void> => {
    works.value = true
    refused.value = await onAct()
    works.value = false
    if (refused.value === null) dialog.current?.close()
  }
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void perform()
        }}
      >
        <h2 id={id}>{title}</h2>
        <div>{children}</div>
        {typed !== undefined && (
          <label class="typed">
            <span>
              Type <bdi class="mono">{typed}</bdi> to go on
            </span>
            <input
              type="text"
              autoComplete="off"
              spellcheck={false}
              value={text.value}
              onInput={({ currentTarget }) => (text.value = currentTarget.value)}
            />
          </label>
        )}
        {refused.value !== null && <Fault refusal={refused.value} />}
        <div class="choice">
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            class={harmless ? "" : "danger"}
            disabled={works.value || (typed !== undefined && text.value.trim() !== typed)}
          >
            {act}
          </button>
        </div>
      </form>
    </dialog>
  )
}
