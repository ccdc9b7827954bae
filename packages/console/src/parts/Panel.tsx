import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

import { type Asked, atriumLine, type Command, curlLine } from "../shell/Equivalents.ts"
import { Moment } from "./Moment.tsx"

interface Props {
  readonly title: string
  /** The moment that its numbers are of; `null` = they have not come yet. */
  readonly asOf?: number | null
  /** The same by the API, and as a command. */
  readonly asked?: Asked
  readonly command?: Command
  /** Buttons, filters. */
  readonly tools?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

/** A part of a page: one question to the service, with the way to ask it from a terminal. */
export const Panel = ({ title, asOf, asked, command, tools, children, ...rest }: Props) => {
  const id = useId()
  const open = useSignal(false)
  return (
    <section class={`panel ${rest.class ?? ""}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {asOf !== undefined && asOf !== null && (
          <span class="as-of">
            as of <Moment at={asOf} as="time" />
          </span>
        )}
        <span class="tools">
          {tools}
          {asked !== undefined && (
            <button
              type="button"
              class="quiet small"
              aria-expanded={open.value}
              onClick={() => (open.value = !open.value)}
            >
              API
            </button>
          )}
        </span>
      </header>
      {open.value && asked !== undefined && <Lines asked={asked} command={command} />}
      {children}
    </section>
  )
}

/** The lines that ask the same from a terminal. */
const Lines = ({ asked, command }: { asked: Asked; command: Command | undefined }) => (
  <div class="equivalents">
    <Line name="curl" text={curlLine(location.origin, asked)} />
    {command !== undefined && <Line name="atrium" text={atriumLine(location.origin, command)} />}
  </div>
)

const Line = ({ name, text }: { name: string; text: string }) => (
  <div class="equivalent">
    <span class="faint">{name}</span>
    <code tabIndex={0}>{text}</code>
    <Copy text={text} label={`Copy the line of ${name}`} />
  </div>
)

/** Browsers let pages copy over https and on this machine only: elsewhere there is no clipboard at all. */
const write = async (text: string): Promise<void> => navigator.clipboard.writeText(text)

/** The button says for this time what came of the copy. */
const saidMs = 2000

/** A button that copies a text, and says so. */
const Copy = ({ text, label }: { text: string; label: string }) => {
  const copied = useSignal<"no" | "yes" | "refused">("no")
  return (
    <button
      type="button"
      class="quiet small"
      aria-label={copied.value === "no" ? label : undefined}
      onClick={() => {
        write(text).then(
          () => (copied.value = "yes"),
          () => (copied.value = "refused")
        )
        setTimeout(() => (copied.value = "no"), saidMs)
      }}
    >
      <span role="status">
        {copied.value === "yes" ? "Copied" : copied.value === "refused" ? "Select it" : "Copy"}
      </span>
    </button>
  )
}
