// Links into the documentation, which the service has beside the console.

interface DocsProps {
  /** The path of the page below `docs/`, without its extension. */
  page: string;
  /** The anchor of a heading. */
  heading?: string;
  children: string;
}

/** Opens in another tab: the tokens of this page are in its memory only. */
export function DocsLink({ page, heading, children }: DocsProps) {
  return (
    <a href={`/docs/${page}.html${heading ? `#${heading}` : ""}`} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
