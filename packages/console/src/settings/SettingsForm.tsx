import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import type { Project } from "@atrium/domain/projects/ProjectsApi"
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"

import { readAccount } from "../app/Account.ts"
import { Fault } from "../parts/Fault.tsx"
import { useActs } from "../service/Acts.ts"
import { errorText } from "../text/ErrorText.ts"
import { changedSettings, type TypedSettings, typedOf } from "./ChangedSettings.ts"

interface Props {
  readonly path: string
  readonly record: Project
  readonly onDone: () => void
}

/** All settings that PATCH takes. The service judges them: its words are shown as they come. */
export const SettingsForm = ({ path, record, onDone }: Props) => {
  const typed = useSignal<TypedSettings>(typedOf(record))
  const unread = useSignal<string | null>(null)
  const { works, refused, act } = useActs()
  const set = (change: Partial<TypedSettings>): void => {
    typed.value = { ...typed.value, ...change }
  }
  const save = async (): Promise<void> => {
    unread.value = null
    try {
      const body = changedSettings(record, typed.value)
      if ((await act<Project>({ method: "PATCH", path, body })) === null) return
    } catch (error) {
      unread.value = errorText(error)
      return
    }
    await readAccount()
    onDone()
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Fields typed={typed.value} onChange={set} />
      {unread.value !== null && (
        <div class="fault" role="alert">
          <p>
            <bdi>{unread.value}</bdi>
          </p>
        </div>
      )}
      {refused.value !== null && <Fault refusal={refused.value} />}
      <div class="row">
        <button disabled={works.value}>Save</button>
        <button type="button" class="quiet" onClick={() => (typed.value = typedOf(record))}>
          Undo
        </button>
      </div>
    </form>
  )
}

interface FieldsProps {
  readonly typed: TypedSettings
  readonly onChange: (change: Partial<TypedSettings>) => void
}

const Fields = ({ typed, onChange }: FieldsProps) => (
  <>
    <p class="faint">
      A deploy of a file that declares queues, boards, origins, audienceRole or preRelease undoes
      the edit of these here.
    </p>
    <Area
      label="Origins"
      hint="A line for each, such as https://game.example, or * for all; none: localhost alone."
      text={typed.origins}
      onText={(origins) => onChange({ origins })}
    />
    <div class="row">
      <Line
        label="Audience role"
        hint="empty: no audience"
        text={typed.audienceRole}
        onText={(audienceRole) => onChange({ audienceRole })}
      />
      <Line
        label="Connections a minute and address"
        hint={`empty: ${ProjectLimits.connectionsPerIpPerMinDefault.max}`}
        text={typed.connectionsPerIpPerMin}
        onText={(connectionsPerIpPerMin) => onChange({ connectionsPerIpPerMin })}
      />
      <Line
        label="Memory of a server, MiB"
        hint="empty: automatic"
        text={typed.vmMemMib}
        onText={(vmMemMib) => onChange({ vmMemMib })}
      />
      <label>
        <input
          type="checkbox"
          checked={typed.preRelease}
          onChange={({ currentTarget }) => onChange({ preRelease: currentTarget.checked })}
        />{" "}
        Pre-release: a breaking deploy starts rooms anew, and their saves are lost
      </label>
    </div>
    <Area
      label="Queues"
      hint="JSON, as in service.json"
      text={typed.queues}
      onText={(queues) => onChange({ queues })}
    />
    <Area
      label="Boards"
      hint="JSON, as in service.json; a board that is left out goes with its scores"
      text={typed.boards}
      onText={(boards) => onChange({ boards })}
    />
  </>
)

interface FieldProps {
  readonly label: string
  readonly hint: string
  readonly text: string
  readonly onText: (text: string) => void
}

const Labelled = ({
  label,
  hint,
  children
}: Pick<FieldProps, "label" | "hint"> & { children: ComponentChildren }) => (
  <label>
    <span class="label">{label}</span>
    {children}
    <span class="under">{hint}</span>
  </label>
)

const Area = ({ text, onText, ...words }: FieldProps) => (
  <Labelled {...words}>
    <textarea
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
  </Labelled>
)

const Line = ({ text, onText, ...words }: FieldProps) => (
  <Labelled {...words}>
    <input type="text" value={text} onInput={({ currentTarget }) => onText(currentTarget.value)} />
  </Labelled>
)
