/** Shows where the work is: a link to a map, for the address that the element names. */
class CityMap extends HTMLElement {
  connectedCallback() {
    const address = this.getAttribute("address") ?? "";
    const link = document.createElement("a");
    link.href = "https://map.city.example/?q=" + encodeURIComponent(address);
    link.textContent = address;
    this.replaceChildren(link);
  }
}

customElements.define("city-map", CityMap);
