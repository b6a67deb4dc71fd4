import { render } from 'preact';
import css from './style.css';

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

/** `<tour-booking tour="…" api="/tours" next="/pay" lang="de">`: sells the seats of a tour through the site's own server. */
class TourBooking extends HTMLElement {
  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    render(<slot />, root);
  }
}

if (!customElements.get('tour-booking')) customElements.define('tour-booking', TourBooking);
