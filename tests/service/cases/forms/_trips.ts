/** An application whose forms use every construct. */

/** Definition of the application. */
export const TRIPS = `
application: { id: Trips, name: Trips, organisation: Acme, variant: hosted, platformVersion: 25 }

operators:
  ada@acme: { name: Ada }
  ben@acme: { name: Ben }

dataTypes:
  Acme-Trips-Data-Depot:
    name: Depot
    key: [ID]
    savable: D_DepotRecords
    fields:
      ID: { type: Integer, required: true }
      City: { type: Text, label: City, required: true }
      Country: { type: Text }
      Open: { type: Boolean, default: true }
    views:
      Card: { fields: [City, Country] }
  Acme-Trips-Data-Skill:
    name: Skill
    key: [ID]
    savable: D_Skills
    fields:
      ID: { type: Text, required: true }
      Text: { type: Text }
  Acme-Trips-Data-Street:
    name: Street
    key: [Country, Code]
    savable: D_StreetRecords
    fields:
      Country: { type: Text, required: true }
      Code: { type: Text, required: true }
      Name: { type: Text }

dataViews:
  D_DepotRecords: { name: Depots, source: records, class: Acme-Trips-Data-Depot }
  D_Depots:
    name: Depots of a country
    source: records
    class: Acme-Trips-Data-Depot
    parameters: { Country: { type: Text } }
    filter: [{ field: Country, parameter: Country }]
  D_Skills: { name: Skills, source: records, class: Acme-Trips-Data-Skill }
  D_StreetRecords: { name: Streets, source: records, class: Acme-Trips-Data-Street }
  D_Streets:
    name: Streets of a country
    source: records
    class: Acme-Trips-Data-Street
    parameters: { Country: { type: Text, required: true } }
    filter: [{ field: Country, parameter: Country }]

caseTypes:
  Acme-Trips-Work-Trip:
    name: Trip
    prefix: T
    workPool: ACME-TRIPS-WORK
    fields:
      Kind: { type: Dropdown, values: [Air, Rail], show: radio }
      Country: { type: Text }
      Urgent: { type: Boolean, label: Urgent }
      Weight: { type: Decimal, min: 0, max: 100 }
      Fee: { type: Currency, currency: NOK }
      Rebate: { type: Percentage, min: 0, max: 100 }
      Start: { type: Time, label: Departure }
      Story: { type: RichText, maxLength: 200 }
      Lead: { type: UserReference }
      Total: { type: Currency, currency: NOK, calculated: Fee - Fee * Rebate / 100.0 }
      Street:
        type: Dropdown
        choices: { from: D_Streets, value: Code, text: Name, parameters: { Country: .Country } }
      Origin:
        type: Dropdown
        show: autocomplete
        choices: { from: D_Skills, value: ID, text: Text, inForm: true }
      Depot:
        type: Reference
        to: Acme-Trips-Data-Depot
        from: D_Depots
        text: City
        parameters: { Country: .Country }
        columns: [City, Open]
      Hub: { type: Reference, to: Acme-Trips-Data-Depot, show: table, from: D_DepotRecords, columns: [City, Country] }
      Corner: { type: Reference, to: Acme-Trips-Data-Street, from: D_StreetRecords, show: autocomplete, text: Name }
      Skills: { type: MultiSelect, to: Acme-Trips-Data-Skill }
      Helpers: { type: Reference, to: Acme-Trips-Data-Skill, multiple: true, show: table }
      Checks: { type: Reference, to: Acme-Trips-Data-Skill, multiple: true, show: checkboxes }
      Home:
        type: Page
        class: Acme-Trips-Data-Home
        fields:
          City: { type: Text }
          Capital: { type: Boolean }
          Mayor: { type: Text }
          Depot: { type: Reference, to: Acme-Trips-Data-Depot, from: D_DepotRecords }
        views:
          EditTrip:
            fields:
              - City
              - Capital
              - { field: Mayor, visible: "Capital && size(City) > 2", required: Capital }
              - Depot
      Stops:
        type: List
        class: Acme-Trips-Data-Stop
        fields:
          City: { type: Text, required: true }
          Fee: { type: Currency }
          Locked: { type: Boolean }
          Note: { type: TextArea }
          Guests:
            type: List
            class: Acme-Trips-Data-Guest
            fields: { Name: { type: Text } }
        views:
          StopForm: { fields: [City, { field: Note, visible: "City != ''" }, Guests] }
          StopEdit: { fields: [{ field: City, readOnly: true }, Note] }
      Bags:
        type: List
        class: Acme-Trips-Data-Bag
        fields:
          Owner: { type: Text }
          Kilos: { type: Integer }
          Sealed: { type: Boolean }
    views:
      Trip:
        fields:
          - Kind
          - Country
          - Urgent
          - group: Money
            heading: What it costs
            instructions: <p>Only for air.</p>
            collapsible: true
            visible: Kind == 'Air'
            fields: [{ field: Fee, required: Urgent }, Rebate, Total]
          - { field: Weight, visible: "Weight > 5.0 || Kind != 'Rail'", readOnly: Urgent }
          - Start
          - Story
          - Lead
          - Street
          - Origin
    stages:
      PRIM0:
        name: Plan
        transition: create
        processes:
          Plan:
            steps:
              Enter:
                instructions: Say where you go.
                view: Trip
                actions:
                  EnterTrip: { name: Enter the trip }
                  References:
                    fields: [Country, { field: Depot, details: Card }, Hub, Corner, Skills, Helpers, Checks]
                    next: [{ step: Enter }]
                  EditTrip:
                    fields: [{ field: Home, view: EditTrip }]
                    next: [{ step: Enter }]
                  Stops:
                    fields:
                      - Urgent
                      - field: Stops
                        columns: [City, Fee]
                        editing: modal
                        rowView: StopForm
                        editView: StopEdit
                        allowAdd: Urgent == false
                        allowMove: false
                        allowRowDelete: City != 'Oslo'
                      - { field: Bags, columns: [Owner, Kilos], allowDelete: false }
                    next: [{ step: Enter }]
                  Rows:
                    fields: [{ field: Stops, rows: repeating, rowView: StopForm, heading: .City }]
                    next: [{ step: Enter }]
      PRIM1:
        name: Travel
        processes:
          Travel:
            steps:
              Go:
                type: screens
                screens:
                  One: { fields: [Country] }
                  Two: { fields: [Story] }
`;
