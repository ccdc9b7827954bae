import type { ComponentChildren } from "preact"

interface Props {
  readonly secret: string
  readonly onDone: () => void
  /** What to do with it. */
  readonly children: ComponentChildren
}

/** A secret that was minted just now. It is in this page alone, and gone with it. */
export const Secret = ({ secret, onDone, children }: Props) => (
  <div class="secret" role="status">
    <p>
      <b>Copy it now: nothing shows it again.</b> {children}
    </p>
    <code tabIndex={0}>{secret}</code>
    <p>
      <button type="button" class="quiet small" onClick={onDone}>
        I have it
      </button>
    </p>
  </div>
)
